"""`python -m tbgen` is the program."""

from tbgen.cli import main

main()
