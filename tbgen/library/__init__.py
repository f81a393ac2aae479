"""A folder of tables: what is there, what is missing, and how it is made."""
