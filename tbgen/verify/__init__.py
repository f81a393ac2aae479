"""The verifier: compares a table with the rules, one ply at a time. It shares no code with the solver."""

from tbgen.storage.files import tables_in
from tbgen.verify.check import Report, TellPhase, Violation, verify_table
from tbgen.verify.files import verify_file

__all__ = ["Report", "TellPhase", "Violation", "tables_in", "verify_file", "verify_table"]
