"""Matches between engines: openings, schedule, clocks, play, statistics, and going on after an interruption."""
