"""From a material to its table: one block or many, threads, memory, counts."""
