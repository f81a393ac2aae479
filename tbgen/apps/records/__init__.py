"""Records: what a table holds in figures, counted cell by cell, with the longest lines of best play."""
