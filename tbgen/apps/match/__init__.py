"""Matches between engines, which go on after an interruption."""
