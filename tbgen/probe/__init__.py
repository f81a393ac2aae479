"""The probe: any position with any accrued score, from the tables on the disk."""

from tbgen.probe.answers import Fault, Many, MoveProbe, Probe, Step
from tbgen.probe.tablebase import Tablebase, open_tablebase

__all__ = ["Fault", "Many", "MoveProbe", "Probe", "Step", "Tablebase", "open_tablebase"]
