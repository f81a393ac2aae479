"""Outlook: what missing tables would take, by the names of files alone; none of them is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tbgen.library.costs import pace_of
from tbgen.library.limits import available_memory
from tbgen.library.manifest import read_manifest
from tbgen.library.plan import Plan, default_jobs, plan_of
from tbgen.library.steps import Machine
from tbgen.material import Material
from tbgen.storage.files import tables_of
from tbgen.storage.folders import game_of_folder


def outlook(folder: Path, wanted: Iterable[Material], threads: int) -> Plan:
    """The plan for some tables in a folder, where every file is taken for a sound one."""
    there = {material for material, _ in tables_of([folder])}
    known = read_manifest(folder)
    measured = [(material, known[str(material)]) for material in there if str(material) in known]
    machine = Machine(threads, threads, available_memory())
    game = game_of_folder(folder)
    plan = plan_of(wanted, there, machine=machine, pace=pace_of(measured, game), game=game)
    return replace(plan, machine=replace(machine, jobs=default_jobs(plan)))
