"""The variant, once: positions, FEN, games and points. No arrays, no compiler."""
