"""A folder of tables: its content, the missing tables, and how they are made."""
