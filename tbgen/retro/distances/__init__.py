"""Outcomes and plies of a block, by labels that each accrued code corrects."""
