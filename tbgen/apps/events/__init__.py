"""Events: who stands where, and why, in words and on pages."""
