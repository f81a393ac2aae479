"""All outcomes of a block, without plies: what a side forces only grows from code to code."""
