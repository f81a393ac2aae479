"""What both solvers share:

who is a member, how holds break from code to code, patterns, en passant.
"""
