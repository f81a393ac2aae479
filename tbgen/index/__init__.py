"""Squares, symmetry and layout: the cell of every position."""
