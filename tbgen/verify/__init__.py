"""The verifier: compares a table with the rules, one ply at a time.

It has its own moves, legality, values and distances. With the solver it shares where men go on an
empty board (`index/squares`), the numbering of cells (`index/layout`) and the files (`storage`).
Samples are drawn with `index/bulk`. docs/verification.md says what guards each.
"""

from tbgen.storage.files import tables_in
from tbgen.verify.check import verify_table
from tbgen.verify.files import verify_file
from tbgen.verify.report import Report, TellPhase, Violation

__all__ = ["Report", "TellPhase", "Violation", "tables_in", "verify_file", "verify_table"]
