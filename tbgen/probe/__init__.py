"""The probe: the value of any position with any accrued score, from tables on the disk."""

from tbgen.probe.answers import Grade, LineStep, MoveProbe, Probe
from tbgen.probe.many import BulkProbe, Fault
from tbgen.probe.tablebase import Tablebase, open_tablebase

__all__ = [
    "BulkProbe",
    "Fault",
    "Grade",
    "LineStep",
    "MoveProbe",
    "Probe",
    "Tablebase",
    "open_tablebase",
]
