"""Cells of a block on their way to a value: who has joined a class, who is frozen, and by whom."""
