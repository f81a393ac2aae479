"""The probe: any position with any accrued score, from the tables on the disk."""

from tbgen.probe.answers import BulkProbe, Fault, LineStep, MoveProbe, Probe
from tbgen.probe.tablebase import Tablebase, open_tablebase

__all__ = ["BulkProbe", "Fault", "LineStep", "MoveProbe", "Probe", "Tablebase", "open_tablebase"]
