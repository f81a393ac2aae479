"""What captures, promotions and pawn moves lead to, and what that is worth."""
