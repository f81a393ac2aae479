"""A UCI player: tables, a search beyond them, and the clock of the fifty-move rule."""
