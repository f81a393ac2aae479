"""How the plan of a build is shown."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence

import click

from tbgen.cli.data import in_units
from tbgen.cli.terminal import duration, show_rows
from tbgen.library.costs import least_memory
from tbgen.library.plan import Plan, Slot
from tbgen.text import counted, in_gib

_MOST_BESIDE = 3
"""So many tables beside a table are named."""
_MOST_LEFT_OUT = 10
"""So many tables that are left out for the same reason are named; `--json` has all."""


def show_plan(plan: Plan, free_disk: int | None, *, outcomes_only: bool, as_json: bool) -> None:
    """The tables in the order in which they are expected to begin, and what they take together."""
    if as_json:
        click.echo(json.dumps(plan.facts(), indent=2))
        return
    slots = plan.schedule()
    if slots:
        heads = ("table", "cells", "memory", "disk", "CPU seconds", "threads", "begins", "ends", "beside")
        show_rows(heads, [_row(slot, slots) for slot in slots], right=".rrrrrrr.")
    machine = plan.machine
    limit = "" if machine.memory is None else f", {in_gib(machine.memory, math.floor)} of memory"
    side_by_side = "one at a time" if machine.jobs == 1 else f"at most {machine.jobs} side by side"
    threads = counted(machine.threads, "thread", "threads")
    fitting = f"{len(plan.fitting)} of {len(plan.steps)}" if plan.too_large else f"{len(plan.steps)}"
    click.echo(f"{fitting} to build, {plan.kept} already there; {threads}, {side_by_side}{limit}")
    memory = f", {in_gib(plan.peak_memory)} of memory in use" if slots else ""
    on_the_way = f" and {in_units(plan.scratch_bytes)} on the way" if plan.scratch_bytes else ""
    room = "" if free_disk is None else f" of {in_units(free_disk)} free"
    stay = ", which stay" if outcomes_only else ""
    disk = f"{in_units(plan.bytes)} of disk ({in_units(plan.outcome_bytes)} of it outcomes{stay}){on_the_way}{room}"
    click.echo(f"{duration(plan.seconds())}, {plan.cpu_seconds:,.0f} CPU seconds, {disk}{memory}")
    if plan.too_large:
        _show_too_large(plan)


def _show_too_large(plan: Plan) -> None:
    """Which tables are left out, by the memory that they take at least, and those that need one of these."""
    tables = counted(len(plan.too_large), "table", "tables")
    click.echo(f"without {tables} that memory does not suffice for, even with a part of it on disk:")
    by_memory = defaultdict(list)
    for step in sorted(plan.too_large, key=lambda step: least_memory(step.material)):
        by_memory[in_gib(least_memory(step.material))].append(str(step.material))
    for memory, names in by_memory.items():
        click.echo(f"{memory}: {_some_of(names, ', ', _MOST_LEFT_OUT)}")
    if plan.cut_off:
        tables = counted(len(plan.cut_off), "table", "tables")
        some = _some_of([str(step.material) for step in plan.cut_off], ", ", _MOST_LEFT_OUT)
        click.echo(f"and without {tables} that cannot be made without these: {some}")


def _some_of(names: Sequence[str], between: str, most: int) -> str:
    """The first names, and how many more there are."""
    return between.join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _row(slot: Slot, slots: list[Slot]) -> tuple[str, ...]:
    step = slot.start.step
    beside = [str(each.start.material) for each in slots if each.begins < slot.ends and slot.begins < each.ends]
    beside.remove(str(step.material))
    return (
        str(step.material),
        f"{step.cells:,}",
        in_gib(slot.start.memory),
        in_units(step.cost.bytes),
        f"{step.cost.cpu_seconds:,.1f}",
        str(slot.start.threads),
        clock(slot.begins),
        clock(slot.ends),
        _some_of(beside, " ", _MOST_BESIDE),
    )


def clock(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> clock(29_592.3)
    '8:13:12'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
