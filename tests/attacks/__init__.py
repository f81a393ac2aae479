"""An attack on the program: hostile files, damaged tables, bad engines, kills, full disks, other
users.

`scripts/attack.py` carries it out by the hundred with any seed; `tests/attacks/test_attacks.py`
tries a few of each. Every attempt is drawn from a seed alone, so that one that succeeds can be
repeated.
"""
