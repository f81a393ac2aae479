"""All outcomes of a block, in bits and without plies:

what a side forces only grows from code to code.
"""
