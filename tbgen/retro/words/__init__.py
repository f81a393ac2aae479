"""What 64 positions at a time can do: axes, legality, quiet moves, worklists."""
