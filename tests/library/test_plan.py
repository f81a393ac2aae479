"""Plans: what is made when, and that it fits."""

from __future__ import annotations

import csv
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tbgen.errors import NotEnoughDiskError, NotEnoughMemoryError
from tbgen.library import costs
from tbgen.library import plan as plan_module
from tbgen.library.costs import (
    Pace,
    class_of,
    cost_of,
    least_memory,
    memory_needed,
    pace_of,
    primary_cells,
    seconds_left,
)
from tbgen.library.plan import Plan, Settings, Start, Step, plan_of, with_default_jobs
from tbgen.material import (
    Scope,
    TableMaterial,
    all_materials,
    build_order,
    materials,
    pairs_materials,
    table_named,
)
from tbgen.score import Mobility
from tbgen.storage.files import FileRecord
from tests.cli.calls import printed
from tests.project import RECORDS

GIB = 1 << 30
ADDRESS = "tcp://host:8786"
SMALL = [*materials(3), *materials(4)]


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables take memory by their length: 1 to 3 GiB, and one more for each further thread.

    And no less.
    """
    for name in ("memory_needed", "least_memory"):
        monkeypatch.setattr(
            plan_module,
            name,
            lambda material, threads=1, _=False: (material.men - 2 + threads) * GIB,
        )


@pytest.mark.parametrize("folder", [RECORDS, RECORDS / "pairs"])
def test_recorded_sizes_are_planned(folder: Path) -> None:
    sizes = {
        path: json.loads(path.read_bytes())["bytes"] for path in sorted(folder.glob("K*.json"))
    }
    assert len(sizes) in (146, 30)
    for path, size in sizes.items():
        material = table_named(path.name.removesuffix(".json"))
        cost = cost_of(material)
        planned = cost.outcome_bytes if material.scope is Scope.PAIRS else cost.bytes
        assert planned == pytest.approx(size, rel=1e-3), material


def test_recorded_peaks_are_below_the_planned_memory() -> None:
    with (RECORDS / "built.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 110
    for row in rows:
        needed = costs.memory_needed(table_named(row["material"]), int(row["threads"]))
        assert int(row["peak_bytes"]) < needed == int(row["memory_needed"]), row["material"]


def test_a_plan_of_outcomes_of_pairs_has_their_recorded_sizes() -> None:
    sizes = [json.loads(path.read_bytes())["bytes"] for path in (RECORDS / "pairs").glob("K*")]
    sound = build_order(pairs_materials(6))
    missing = set(sound) & set(pairs_materials(6))
    planned = plan_of(
        missing,
        [material for material in sound if material not in missing],
        settings=Settings(outcomes_only=True),
    )
    assert planned.bytes == sum(sizes)
    # Distances grow with the outcomes, whose files are three times as large as those of the class.
    assert cost_of(table_named("KNPvKNP.pairs")).bytes > 4 * 1_112_665_663


def plan(settings: Settings, wanted: list[TableMaterial] | None = None) -> Plan:
    return plan_of(wanted or all_materials(), settings=settings)


def at_work(slots: list[Start], moment: float) -> list[Start]:
    return [slot for slot in slots if slot.begins <= moment < slot.ends]


@pytest.mark.parametrize(
    "settings",
    [
        Settings(1, 1),
        Settings(2, 2, 9 * GIB),
        Settings(16, 5, 11 * GIB),
        Settings(64, 64),
        Settings(8, 2, 7 * GIB, cluster=ADDRESS),
        Settings(32, 16, 8 * GIB, cluster=ADDRESS),
    ],
)
def test_a_schedule_has_every_table_once_after_its_children_and_within_the_machine(
    settings: Settings,
) -> None:
    slots = plan(settings).schedule()
    ends = {slot.material: slot.ends for slot in slots}
    assert sorted(str(slot.material) for slot in slots) == sorted(map(str, all_materials()))
    for slot in slots:
        assert all(ends[child] <= slot.begins for child in slot.material.children())
        beside = at_work(slots, slot.begins)
        assert len(beside) <= settings.jobs
        assert sum(each.threads for each in beside) <= settings.threads
        if settings.cluster:
            assert slot.threads <= settings.threads // settings.jobs
        if settings.memory is not None:
            assert (
                sum(each.memory for each in ([slot] if settings.cluster else beside))
                <= settings.memory
            )


def test_a_table_that_waits_for_memory_is_not_overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"KQvK": 4, "KRvK": 9, "KBvK": 2, "KNvK": 1}
    monkeypatch.setattr(
        plan_module, "memory_needed", lambda material, threads, _: sizes[str(material)] * GIB
    )
    found = [table_named(name) for name in sizes]
    steps = [Step(each, cost_of(each), (), 4.0 - number) for number, each in enumerate(found)]
    started = Plan(tuple(steps), Settings(4, 4, 10 * GIB)).next_starts(set(), [])
    assert [(str(start.material), start.threads) for start in started] == [("KQvK", 4)]


def test_what_does_not_fit_is_refused_with_its_figures() -> None:
    for cluster in (None, ADDRESS):
        with pytest.raises(NotEnoughMemoryError) as refused:
            plan(Settings(4, 4, 2 * GIB, cluster=cluster), SMALL).check(None)
        assert (refused.value.needed_bytes, refused.value.available_bytes) == (3 * GIB, 2 * GIB)
    whole = plan(Settings(4, 4), SMALL)
    whole.check(whole.bytes)
    with pytest.raises(NotEnoughDiskError, match="and the 35 others") as caught:
        whole.check(whole.bytes - 1)
    assert caught.value.needed_bytes == whole.bytes


def test_a_table_that_takes_more_memory_than_there_is_gets_all_of_it_and_nothing_runs_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its least memory bounds its threads, and its arrays in files count as disk."""
    monkeypatch.setattr(
        plan_module,
        "memory_needed",
        lambda material, threads, _: 2 * (material.men + threads) * GIB,
    )
    monkeypatch.setattr(plan_module, "most_in_files", lambda material: GIB)
    whole = plan(Settings(4, 2, 6 * GIB))
    whole.check(None)
    slots = whole.schedule()
    assert len(slots) == len(whole.steps)
    granted = [slot for slot in slots if slot.is_short]
    assert {slot.threads for slot in granted if slot.material.men == 5} == {3}
    for slot in granted:
        assert slot.memory == 6 * GIB
        assert at_work(slots, (slot.begins + slot.ends) / 2) == [slot]
        assert slot.scratch_bytes == slot.step.cost.scratch_bytes + GIB


def test_what_there_is_no_memory_for_is_named_and_the_rest_has_its_time() -> None:
    whole = plan(Settings(2, 2, 3 * GIB))
    too_large = {step.material for step in whole.too_large}
    assert too_large == set(materials(5))
    assert {slot.material for slot in whole.schedule()} == {step.material for step in whole.fitting}
    assert len(whole.fitting) + len(too_large) == len(whole.steps)
    assert whole.cpu_seconds == pytest.approx(sum(step.cost.cpu_seconds for step in whole.fitting))
    facts = whole.facts()
    assert [each["material"] for each in facts["too_large"]] == [
        str(step.material) for step in whole.too_large
    ]
    assert all(each["least_memory"] > 3 * GIB for each in facts["too_large"])


def test_a_plan_makes_nothing_and_says_which_disk_stays(tmp_path: Path) -> None:
    words = ("build", "KNvK", "--plan", "--data", str(tmp_path), "--memory", "8G")
    facts = json.loads(printed(*words, "--json"))
    assert [table["material"] for table in facts["tables"]] == ["KvK", "KNvK"]
    shown = re.compile(r"disk +(.+) of .+ free\noutcomes +(.+) of that")
    (both, some), (same, alone) = (
        shown.findall(printed(*words, *more))[0] for more in ([], ["--outcomes"])
    )
    assert both != some == same == alone
    assert not list(tmp_path.iterdir())


def built(wall: float, cpu: float) -> list[tuple[TableMaterial, FileRecord]]:
    """All tables of four men, built by one thread in so many times the measured seconds and CPU
    seconds, or nearly.
    """
    draw = random.Random(5)
    records = []
    for material in materials(4):
        seconds = cost_of(material).cpu_seconds * draw.uniform(0.8, 1.2)
        record = FileRecord(
            bytes=1,
            sha256="",
            wall_seconds=wall * seconds,
            cpu_seconds=cpu * seconds,
            threads=1,
            sha256_of_distances="",
        )
        records.append((material, record))
    return records


def test_a_slower_machine_takes_longer_and_its_own_tables_say_how_much() -> None:
    assert pace_of(built(3.0, 3.0)) == pytest.approx((3.0, 3.0), rel=0.1)
    slow = plan_of(SMALL, settings=Settings(1, 1), pace=Pace(wall=2.0))
    fast = plan_of(SMALL, settings=Settings(1, 1))
    assert slow.seconds() == pytest.approx(2 * fast.seconds())


def test_tables_that_are_small_or_were_built_elsewhere_say_nothing_of_the_machine() -> None:
    small = FileRecord(1, "", wall_seconds=40.0, cpu_seconds=40.0, threads=1)
    elsewhere = FileRecord(1, "")
    records = [(table_named("KvK"), small), (table_named("KRvKB"), elsewhere)]
    assert pace_of([]) == pace_of(records) == Pace(1.0, 1.0)


def test_a_busy_machine_makes_a_build_longer_but_takes_no_more_cpu_seconds() -> None:
    pace = pace_of(built(wall=6.0, cpu=1.5))
    assert pace == pytest.approx((6.0, 1.5), rel=0.1)
    busy = plan_of(SMALL, settings=Settings(1, 1), pace=pace)
    idle = plan_of(SMALL, settings=Settings(1, 1))
    assert busy.seconds() == pytest.approx(6.0 * idle.seconds(), rel=0.1)
    assert busy.cpu_seconds == pytest.approx(1.5 * idle.cpu_seconds, rel=0.1)
    for name in ("cpu_seconds", "path_seconds"):
        before = idle.facts()["tables"][0][name]
        after = busy.facts()["tables"][0][name]
        assert after == pytest.approx(1.5 * before, rel=0.1)


@pytest.mark.parametrize("mobility", Mobility)
def test_every_table_of_five_men_was_measured_and_larger_ones_are_estimated_by_their_class(
    mobility: Mobility,
) -> None:
    classes = {class_of(material) for material in all_materials()}
    for kind in classes:
        six = next(material for material in materials(6) if class_of(material) == kind)
        five = [each for each in materials(5) if class_of(each) == kind]
        rate = primary_cells(six) / sum(map(primary_cells, five))
        cost = cost_of(six, mobility)
        assert cost.cpu_seconds == pytest.approx(
            rate * sum(cost_of(each, mobility).cpu_seconds for each in five)
        )
        assert cost.bytes == pytest.approx(
            rate * sum(cost_of(each, mobility).bytes for each in five)
        )
    assert primary_cells(table_named("KQQvK")) == primary_cells(table_named("KQRvK")) / 2
    assert (
        cost_of(table_named("KQRvK")).wall_seconds(2)
        > cost_of(table_named("KQRvK")).cpu_seconds / 2
    )


def test_the_whole_set_of_five_men_is_made_with_six_gibibytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plan_module, "memory_needed", memory_needed)
    monkeypatch.setattr(plan_module, "least_memory", least_memory)
    for threads in (1, 2, 8):
        whole = plan(Settings(threads, threads, 6 * GIB))
        whole.check(None)
        starts = whole.schedule()
        assert len(starts) == len(all_materials())
        for start in starts:
            needed = least_memory if start.is_short else memory_needed
            assert needed(start.material, start.threads) <= start.memory <= 6 * GIB
            assert least_memory(start.material, threads) < memory_needed(start.material, threads)


def test_so_many_tables_are_made_side_by_side_that_the_plan_is_shortest() -> None:
    assert with_default_jobs(plan(Settings(2, 2), materials(3))).settings.jobs == 1, (
        "processes would not pay"
    )
    assert with_default_jobs(plan(Settings(2, 2), SMALL)).settings.jobs == 2
    for threads, gibibytes in ((2, 99), (2, 6), (4, 7), (4, 10), (8, 9), (6, 12)):
        settings = Settings(threads, threads, gibibytes * GIB)
        numbers = {1, min(2, threads), min(4, threads), threads}
        seconds = [plan(replace(settings, jobs=jobs)).seconds() for jobs in numbers]
        assert with_default_jobs(plan(settings)).seconds() == min(seconds)


def test_a_plan_without_a_number_of_jobs_finds_the_number() -> None:
    assert plan(Settings(2), materials(3)).settings.jobs == 1
    assert plan(Settings(2), SMALL).settings.jobs == 2
    assert plan(Settings(2), SMALL).seconds() < plan(Settings(2, 1), SMALL).seconds()


@pytest.mark.parametrize(
    ("spent", "phase", "done", "left"),
    [
        (0.0, "moves", 0.0, 100.0),
        (0.0, "blocks", 0.0, 100.0),
        (25.0, "accrued", 0.9, 75.0),
        (25.0, "accrued", 0.1, 75.0),
        (50.0, "blocks", 0.5, 50.0),
        (90.0, "blocks", 0.9, 0.9 * 10 + 0.1 * 10),
        (150.0, "writing", 1.0, 5.0),
    ],
)
def test_the_time_that_is_left_is_the_plan_s_until_blocks_say_more(
    spent: float, phase: str, done: float, left: float
) -> None:
    assert seconds_left(100.0, spent, phase, done) == pytest.approx(left)
