"""Tablebases for r-mobility chess."""

__version__ = "0.1.0"
