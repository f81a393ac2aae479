"""The rules of r-mobility: positions, FEN, games and points.

Each rule stands here once; no arrays, no compiler.
"""
