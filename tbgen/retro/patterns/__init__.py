"""Patterns: how a cell's hold breaks from code to code, as one number, and as rows of a table."""
