"""The solver: from rules to values, with no idea of files."""
