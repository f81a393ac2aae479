"""Squares, symmetry and layout: where every position has its cell."""
