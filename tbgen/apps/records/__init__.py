"""Records: the statistics of a table, counted cell by cell, with the longest lines of best play."""
