"""An alpha-beta search for positions without a table, with tables where captures, promotions or low scores lead to one.

docs/adr/0200-the-search-beyond-tables.md says what it searches for.
"""
