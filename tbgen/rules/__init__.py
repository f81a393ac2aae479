"""The rules of the variant: positions, FEN, games and points. Each rule stands here once; no arrays, no compiler."""
