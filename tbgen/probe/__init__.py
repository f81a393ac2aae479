"""The probe: any position with any accrued score, from the tables on the disk."""

from tbgen.probe.answers import Many, MoveProbe, Probe, Step
from tbgen.probe.tablebase import Tablebase, open_tablebase

__all__ = ["Many", "MoveProbe", "Probe", "Step", "Tablebase", "open_tablebase"]
