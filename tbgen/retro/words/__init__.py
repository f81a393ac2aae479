"""Operations on 64 positions at a time: axes, legality, moves, worklists."""
