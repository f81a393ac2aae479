"""Plans: what is made when, and that it fits."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tbgen.errors import NotEnoughDiskError, NotEnoughMemoryError
from tbgen.library import steps as steps_module
from tbgen.library.costs import (
    LARGE_RATES,
    RATES,
    class_of,
    cost_of,
    crowding_of,
    measured_seconds,
    pace_for,
    pace_of,
    primary_cells,
)
from tbgen.library.manifest import FileRecord
from tbgen.library.plan import Plan, default_jobs, plan_of
from tbgen.library.steps import Machine, Slot, Step
from tbgen.material import Material, all_materials, materials
from tbgen.score import Mobility

GIB = 1 << 30
SMALL = [*materials(3), *materials(4)]


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables take memory by their length: 1 to 3 GiB, and one more for each further thread; and no less."""
    for name in ("_memory", "_least_memory"):
        monkeypatch.setattr(steps_module, name, lambda material, threads: (material.men - 2 + threads) * GIB)


def plan(machine: Machine, wanted: list[Material] | None = None) -> Plan:
    return plan_of(wanted or all_materials(), machine=machine)


def at_work(slots: list[Slot], moment: float) -> list[Slot]:
    return [slot for slot in slots if slot.begins <= moment < slot.ends]


@pytest.mark.parametrize(
    "machine",
    [
        Machine(1, 1),
        Machine(2, 2, 9 * GIB),
        Machine(16, 5, 11 * GIB),
        Machine(64, 64),
        Machine(8, 2, None, 6 * GIB),
        Machine(32, 16, None, 8 * GIB),
    ],
)
def test_a_schedule_has_every_table_once_after_its_children_and_within_the_machine(machine: Machine) -> None:
    slots = plan(machine).schedule()
    ends = {slot.start.material: slot.ends for slot in slots}
    assert sorted(map(str, ends)) == sorted(map(str, all_materials()))
    assert len(slots) == len(ends)
    for slot in slots:
        assert all(ends[child] <= slot.begins for child in slot.start.material.children())
        beside = at_work(slots, slot.begins)
        assert len(beside) <= machine.jobs
        assert sum(each.start.threads for each in beside) <= machine.threads
        if machine.job_memory is not None:
            assert slot.start.memory <= machine.job_memory
        elif machine.memory is not None:
            assert sum(each.start.memory for each in beside) <= machine.memory


def test_two_jobs_do_what_one_does_with_two_threads_in_less_time() -> None:
    assert plan(Machine(2, 2), SMALL).seconds() < plan(Machine(2, 1), SMALL).seconds()


def test_threads_that_nobody_else_can_use_go_to_who_starts() -> None:
    slots = plan(Machine(8, 8), [Material.parse("KPvK")]).schedule()
    threads = {str(slot.start.material): slot.start.threads for slot in slots}
    assert threads == {"KvK": 8, "KNvK": 2, "KBvK": 2, "KRvK": 2, "KQvK": 2, "KPvK": 8}


def test_threads_that_missing_memory_leaves_idle_go_to_who_starts() -> None:
    five = [Material.parse(name) for name in ("KRBvKN", "KRBvKB", "KRBvKR", "KQRvKN")]
    for limit, threads in ((9 * GIB, [2, 1]), (8 * GIB, [1, 1]), (7 * GIB, [4]), (6 * GIB, [3]), (4 * GIB, [1])):
        steps = plan_of(five, set(all_materials()) - set(five), machine=Machine(4, 4, limit))
        starts = steps.next_starts(set(all_materials()) - set(five), [])
        assert [start.threads for start in starts] == threads


def test_the_table_with_the_longest_way_to_the_end_goes_first() -> None:
    whole = plan(Machine(1, 1))
    ready = [step for step in whole.steps if not step.needs]
    assert [start.step for start in whole.next_starts(set(), [])] == [max(ready, key=lambda step: step.path_seconds)]
    for step in whole.steps:
        longest = max((other.path_seconds for other in whole.steps if step.material in other.needs), default=0.0)
        assert step.path_seconds == pytest.approx(step.cost.cpu_seconds + longest)


def step(name: str, path_seconds: float) -> Step:
    material = Material.parse(name)
    return Step(material, 1, cost_of(material), (), path_seconds)


def test_a_large_table_is_not_overtaken_for_ever_by_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"KQvK": 4, "KRvK": 9, "KBvK": 2, "KNvK": 1}
    monkeypatch.setattr(steps_module, "_memory", lambda material, threads: sizes[str(material)] * GIB)
    steps = [step("KQvK", 4.0), step("KRvK", 3.0), step("KBvK", 2.0), step("KNvK", 1.0)]
    started = Plan(tuple(steps), Machine(4, 4, 10 * GIB)).next_starts(set(), [])
    assert [str(start.material) for start in started] == ["KQvK", "KNvK"], "KBvK would keep KRvK out"


def test_what_is_left_follows_from_what_is_done_and_how_long_the_rest_has_been_at_work() -> None:
    whole = plan(Machine(1, 1), SMALL)
    slots = whole.schedule()
    half = slots[: len(slots) // 2]
    over = {slot.start.material for slot in half}
    assert whole.seconds(over) == pytest.approx(slots[-1].ends - half[-1].ends)
    following = slots[len(half)]
    elapsed = (following.ends - following.begins) / 2
    assert whole.seconds(over, {following.start: elapsed}) == pytest.approx(slots[-1].ends - half[-1].ends - elapsed)


def test_what_does_not_fit_is_refused_with_its_figures() -> None:
    with pytest.raises(NotEnoughMemoryError, match=r"cannot build K\w+vK\w*: it needs about 3.0 GiB"):
        plan(Machine(4, 4, 2 * GIB), SMALL).check(None)
    with pytest.raises(NotEnoughMemoryError):
        plan(Machine(4, 4, None, 2 * GIB), SMALL).check(None)
    whole = plan(Machine(4, 4), SMALL)
    whole.check(whole.bytes)
    size = round(whole.bytes / 1e6)
    with pytest.raises(
        NotEnoughDiskError,
        match=rf"cannot build KPPvK: it and the 35 others .* need about {size} MB of disk, {size} MB are free",
    ) as caught:
        whole.check(whole.bytes - 1)
    assert caught.value.needed_bytes == whole.bytes


def test_a_table_that_takes_more_memory_than_there_is_gets_all_of_it_and_nothing_runs_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steps_module, "_memory", lambda material, threads: 2 * (material.men - 2 + threads) * GIB)
    monkeypatch.setattr(steps_module, "_most_in_files", lambda material, threads: GIB)
    whole = plan(Machine(2, 2, 8 * GIB))
    whole.check(None)
    slots = whole.schedule()
    assert len(slots) == len(whole.steps)
    granted = [slot for slot in slots if slot.start.granted is not None]
    assert granted
    for slot in granted:
        assert slot.start.step.memory(slot.start.threads) > slot.start.memory == 8 * GIB
        assert at_work(slots, (slot.begins + slot.ends) / 2) == [slot]
        assert slot.scratch == slot.start.step.cost.scratch_bytes + GIB
    assert all(slot.start.memory <= 8 * GIB for slot in slots)


def test_what_there_is_no_memory_for_is_named_and_the_rest_has_its_time() -> None:
    whole = plan(Machine(2, 2, 3 * GIB))
    too_large = {step.material for step in whole.too_large}
    assert too_large == set(materials(5))
    assert {slot.start.material for slot in whole.schedule()} == {step.material for step in whole.fitting}
    assert len(whole.fitting) + len(too_large) == len(whole.steps)
    assert whole.seconds() > 0
    assert whole.cpu_seconds == pytest.approx(sum(step.cost.cpu_seconds for step in whole.fitting))
    facts = whole.facts()
    assert [each["material"] for each in facts["too_large"]] == [str(step.material) for step in whole.too_large]
    assert all(each["least_memory"] > 3 * GIB for each in facts["too_large"])
    with pytest.raises(NotEnoughMemoryError):
        whole.check(None)


def test_blocks_that_lie_on_disk_at_the_same_time_count() -> None:
    whole = plan(Machine(4, 4))
    slots = whole.schedule()
    most = max(sum(slot.scratch for slot in at_work(slots, at.begins)) for at in slots)
    assert whole.scratch_bytes == most > max(slot.scratch for slot in slots)
    assert {slot.start.material.pawns > 0 for slot in slots if slot.scratch} == {True}
    with pytest.raises(NotEnoughDiskError):
        whole.check(whole.bytes + most - 1)
    whole.check(whole.bytes + most)


def test_tables_that_are_there_are_left_out() -> None:
    there = materials(3)
    rest = plan_of(SMALL, [Material.parse("KvK"), *there], machine=Machine(1, 1))
    assert (len(rest.steps), rest.kept) == (30, 6)
    assert not set(there) & {need for each in rest.steps for need in each.needs}


def test_a_plan_as_json_is_its_schedule() -> None:
    whole = plan(Machine(3, 2, 64 * GIB), SMALL)
    facts = json.loads(json.dumps(whole.facts()))
    assert facts["seconds"] == round(whole.seconds(), 1)
    assert facts["bytes"] == sum(table["bytes"] for table in facts["tables"])
    assert [table["material"] for table in facts["tables"]] == [str(slot.start.material) for slot in whole.schedule()]
    assert {child for table in facts["tables"] for child in table["needs"]} <= {t["material"] for t in facts["tables"]}


def test_a_slower_machine_takes_longer_and_its_own_tables_say_how_much() -> None:
    draw, records = random.Random(5), []
    for material in materials(4):
        seconds = 3.0 * cost_of(material).cpu_seconds * draw.uniform(0.8, 1.2)
        records.append((material, FileRecord(1, "", cpu_seconds=seconds)))
    assert pace_of(records) == pytest.approx(3.0, rel=0.1)
    assert pace_of([]) == pace_of([(Material.parse("KvK"), FileRecord(1, "", cpu_seconds=40.0))]) == 1.0
    slow, fast = (plan_of(SMALL, machine=Machine(1, 1), pace=pace) for pace in (2.0, 1.0))
    assert slow.seconds() == pytest.approx(2 * fast.seconds())


def test_a_class_that_goes_quicker_here_is_told_by_its_own_tables() -> None:
    even, uneven = Material.parse("KBNvKR"), [Material.parse(name) for name in ("KQRvKB", "KQBvKB", "KQNvKB")]
    records = [(each, FileRecord(1, "", cpu_seconds=0.25 * cost_of(each).cpu_seconds)) for each in uneven]
    records.append((even, FileRecord(1, "", cpu_seconds=2.0 * cost_of(even).cpu_seconds)))
    assert pace_for(Material.parse("KRRvKB"), records) == pytest.approx(pace_of(records) ** 0.25 * 0.25**0.75)
    assert pace_for(Material.parse("KPPvK"), records) == pytest.approx(pace_of(records))
    assert pace_for(even, []) == 1.0


def test_tables_that_share_processors_take_longer() -> None:
    material = Material.parse("KBNvKR")
    alone = replace(cost_of(material), cpu_seconds=30.0).wall_seconds(2)
    record = FileRecord(1, "", wall_seconds=3 * alone, cpu_seconds=30.0, threads=2)
    quick = FileRecord(1, "", wall_seconds=0.9, cpu_seconds=0.1, threads=2)
    assert crowding_of([(material, record)]) == crowding_of([(material, record), (material, quick)]) == pytest.approx(3)
    assert crowding_of([]) == crowding_of([(material, quick)]) == 1.0


def test_every_class_has_tables_and_a_rate() -> None:
    every = {class_of(material) for material in materials(5)}
    for game in Mobility:
        assert set(RATES[game]) == set(LARGE_RATES[game]) == every
    assert primary_cells(Material.parse("KQQvK")) == primary_cells(Material.parse("KQRvK")) / 2


@pytest.mark.parametrize("game", Mobility)
def test_a_table_that_was_measured_is_expected_to_take_what_it_took(game: Mobility) -> None:
    seconds = measured_seconds(game)
    assert set(seconds) >= set(map(str, materials(5)))
    assert cost_of(Material.parse("KBNvKR"), game=game).cpu_seconds == seconds["KBNvKR"] > 0


def test_a_plan_of_the_other_game_takes_what_its_tables_took() -> None:
    both = [plan_of(all_materials(), machine=Machine(2, 2), game=game) for game in Mobility]
    reset, whole = ((each.cpu_seconds, each.bytes, each.outcome_bytes) for each in both)
    assert all(less < more for less, more in zip(whole, reset, strict=True))
    twice = [cost_of(each, 2.0, Mobility.WHOLE_GAME).cpu_seconds for each in SMALL]
    records = [(each, FileRecord(1, "", cpu_seconds=seconds)) for each, seconds in zip(SMALL, twice, strict=True)]
    assert pace_of(records, Mobility.WHOLE_GAME) == pytest.approx(2.0)


def test_processes_are_started_only_where_they_pay() -> None:
    assert default_jobs(plan(Machine(2, 2), materials(3))) == 1
    assert default_jobs(plan(Machine(2, 2), SMALL)) == 2


@pytest.mark.parametrize(
    ("threads", "gibibytes", "jobs"), [(2, 99, 2), (2, 6, 1), (4, 7, 1), (4, 10, 2), (8, 9, 1), (8, 12, 4), (6, 12, 2)]
)
def test_so_many_tables_are_made_side_by_side_that_the_plan_is_shortest(
    threads: int, gibibytes: int, jobs: int
) -> None:
    machine = Machine(threads, threads, gibibytes * GIB)
    seconds = {number: plan(replace(machine, jobs=number)).seconds() for number in (1, 2, 4, threads)}
    assert default_jobs(plan(machine)) == jobs
    assert seconds[jobs] == min(seconds.values())


def test_the_plan_of_a_folder_is_printed_and_makes_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "build", "KNvK", "--plan", "--data", str(tmp_path), "--threads", "2"]
    done = subprocess.run([*command, "--memory", "8G"], capture_output=True, text=True, check=True)
    rows = done.stdout.splitlines()
    assert [row.split()[0] for row in rows[1:3]] == ["KvK", "KNvK"]
    assert rows[3].startswith("2 to build, 0 already there; 2 threads, one at a time, 8.0 GiB of memory")
    facts = json.loads(
        subprocess.run([*command, "--json", "--memory", "8G"], capture_output=True, text=True, check=True).stdout
    )
    assert [table["material"] for table in facts["tables"]] == ["KvK", "KNvK"]
    outcomes = subprocess.run([*command, "--outcomes"], capture_output=True, text=True, check=True)
    assert " of it outcomes) of " in done.stdout
    assert " of it outcomes, which stay) of " in outcomes.stdout
    refused = subprocess.run([*command, "--memory", "1M"], capture_output=True, text=True, check=False)
    assert refused.returncode == 6
    assert refused.stderr.startswith("tbgen: cannot build KNvK: it needs about ")
    assert not list(tmp_path.iterdir())
