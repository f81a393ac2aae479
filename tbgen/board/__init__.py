"""A compiled chess board: attacks, legal moves, moves as people write them, and replays.

Kernels here know boards and bytes. They know no files, no tags and no scores but a position's own
code.
"""
