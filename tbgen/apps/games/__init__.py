"""Games: PGN files in, verdicts out."""
