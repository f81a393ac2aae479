"""A player that any chess program can start: best play from tables, with the score on the sheet."""
