"""Verifier: holds a table against the rules, one ply at a time; shares no code with the solver."""

from tbgen.storage.files import tables_in
from tbgen.verify.check import Progress, Report, Violation, verify_table
from tbgen.verify.files import verify_file

__all__ = ["Progress", "Report", "Violation", "tables_in", "verify_file", "verify_table"]
