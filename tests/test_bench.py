from __future__ import annotations

import csv
import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    sys.path.insert(0, str(SCRIPTS))
    yield importlib.import_module("bench.command")
    sys.path.remove(str(SCRIPTS))


def write_log(path: Path, label: str, seconds: Sequence[float]) -> None:
    """Add runs of one table and one kind of probe."""
    with path.open("a") as log:
        for each in seconds:
            head = {"label": label, "commit": label}
            solved = {"cpu": each, "wall": each, "solve_cpu": each, "peak_bytes": 1000}
            log.write(json.dumps({**head, "kind": "solve", "name": "KBvKN", "threads": 2, **solved}) + "\n")
            log.write(json.dumps({**head, "kind": "probe", "name": "KBvKN warm", "seconds": each}) + "\n")


def ratios(output: str) -> list[str]:
    return [line.split()[-1] for line in output.splitlines()[1:]]


def test_two_labels_are_compared_by_their_medians(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "bench.jsonl"
    write_log(log, "before", [4.0, 100.0, 2.0])
    write_log(log, "after", [1.0, 2.0, 50.0])
    bench.main(["--compare", "before", "after", "--log", str(log)])
    assert ratios(capsys.readouterr().out) == ["0.500", "0.500", "0.500", "1.000", "0.500"]


def test_two_files_are_compared(bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, seconds in (("old", 2.0), ("new", 3.0)):
        write_log(tmp_path / name, name, [seconds])
    bench.main(["--compare", str(tmp_path / "old"), str(tmp_path / "new")])
    assert ratios(capsys.readouterr().out) == ["1.500", "1.500", "1.500", "1.000", "1.500"]


def test_an_unknown_label_is_named(bench: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "bench.jsonl"
    write_log(log, "before", [1.0])
    with pytest.raises(SystemExit, match=r"nothing is labelled 'after' in bench\.jsonl; there is before"):
        bench.main(["--compare", "before", "after", "--log", str(log)])


def test_without_a_material_there_is_nothing_to_solve(bench: ModuleType) -> None:
    with pytest.raises(SystemExit, match="name a material such as KBvKN"):
        bench.main([])


def test_random_positions_are_legal_and_the_same_each_time(bench: ModuleType) -> None:
    from tbgen.material import Material

    boards = importlib.import_module("bench.probing").random_boards(Material.parse("KPvKP"), 20)
    assert all(board.is_valid() and any(board.legal_moves) for board in boards)
    assert boards == importlib.import_module("bench.probing").random_boards(Material.parse("KPvKP"), 20)


def test_a_line_of_play_keeps_its_men(bench: ModuleType) -> None:
    import chess

    line = list(importlib.import_module("bench.streams").line_from(chess.Board("8/8/8/8/8/2k5/4p3/K7 b - - 0 1")))
    assert line
    assert all(each.occupied.bit_count() == 3 and each.pawns for each in line)


def test_streams_of_probes_are_shown_by_class(
    bench: ModuleType, table_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "bench.jsonl"
    bench.main(["streams", "--data", str(table_folder), "--men", "3", "--positions", "8", "--log", str(log)])
    shown = capsys.readouterr().out
    for name in (
        "all: outcomes, first",
        "bare king, pawns: both layers, lines",
        "all: both layers, random moves, wall",
    ):
        assert name in shown


def test_the_ratio_of_all_tables_is_that_of_their_cpu_seconds(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "bench.jsonl"
    for label, factor in (("before", 1.0), ("after", 2.0)):
        for name, seconds in (("KBvKN", 1.0), ("KRvKB", 9.0 * factor)):
            head = {"label": label, "commit": label, "kind": "solve", "name": name, "threads": 1}
            facts = {"cpu": seconds, "wall": 1.0, "solve_cpu": 1.0, "peak_bytes": 1}
            with log.open("a") as file:
                file.write(json.dumps({**head, **facts}) + "\n")
    bench.main(["--compare", "before", "after", "--log", str(log)])
    last = capsys.readouterr().out.splitlines()[-1].split()
    assert last == ["all", "2", "cpu", "10", "19", "1.900"]


def test_the_costs_of_classes_are_fitted_to_a_folder(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tbgen.library.costs import primary_cells
    from tbgen.library.manifest import FileRecord, record
    from tbgen.material import Material

    for name in ("KQRvK", "KRBvK", "KBvKN"):
        material = Material.parse(name)
        seconds = primary_cells(material) * 0.25e-6
        cells = round(primary_cells(material))
        (tmp_path / f"{name}.h5").write_bytes(bytes(cells // 16))
        record(tmp_path, {material: FileRecord(cells // 4, "", seconds * 0.75, seconds, threads=2)})
    bench.main(["costs", "--data", str(tmp_path)])
    rows = {line[:32].strip(): line[32:].split() for line in capsys.readouterr().out.splitlines()[1:]}
    assert rows["bare king, no pawns, small"][:5] == ["2", "0.25", "0.062", "0.188", "0.50"]
    assert rows["even, no pawns, small"][0] == "1"
    four = sum(primary_cells(Material.parse(name)) for name in ("KQRvK", "KRBvK"))
    assert rows["4, bare king, no pawns"][2:] == [f"{four / 16e9:.4f}", f"{four * 3 / 16e9:.4f}"]
    assert rows["all"][0] == "3"


def test_built_tables_are_listed_beside_what_verifying_said(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tbgen.library.manifest import FileRecord, record
    from tbgen.material import Material

    for name, seconds in (("KQvK", 0.5), ("KBvKN", 4.0), ("KRvK", None)):
        record(tmp_path, {Material.parse(name): FileRecord(1000, "", 2.0, seconds, 5000, threads=2)})
    sample = {"tables": [{"material": "KBvKN", "positions": 90, "pairs": 800}], "faults": []}
    published = {"tables": [{"material": "KBvKN", "published": True, "differences": []}], "faults": []}
    for number, facts in enumerate((sample, published)):
        (tmp_path / str(number)).write_text(json.dumps(facts))
    checked = ["--checked", str(tmp_path / "0"), "--checked", str(tmp_path / "1")]
    bench.main(["built", "--data", str(tmp_path), *checked])
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["material"] for row in rows] == ["KQvK", "KBvKN"]
    assert [rows[1][name] for name in ("cpu_seconds", "peak_bytes", "checked_pairs")] == ["4.0", "5000", "800"]
    assert (rows[0]["as_published"], rows[1]["as_published"]) == ("", "yes")
    (tmp_path / "0").write_text(json.dumps({"tables": [], "faults": ["KBvKN: wrong"]}))
    with pytest.raises(SystemExit, match="tells of faults: KBvKN: wrong"):
        bench.main(["built", "--data", str(tmp_path), *checked])


def test_what_a_build_said_is_read_from_its_log() -> None:
    from tbgen.material import Material

    lines = (
        "KBvKN (1 of 2) ...",
        "KBvKN (1 of 2): levels G0.5, 1,234 positions decided, 10 %, 5 s, about 42 s to go",
        "KPvK (2 of 2): 331,352 positions in 0.2 s",
        "1 of 2 tables are built, about 2 min to go",
        "KBvKN (1 of 2): writing, 50 %, 25 s, about 1 h 2 min to go",
        "KBvKN (1 of 2): 24,367,720 positions in 60.0 s",
    )
    estimates = importlib.import_module("scripts.bench.estimates")
    courses = estimates.read_log(lines)
    course = courses[Material.parse("KBvKN")]
    assert course.said == [(5.0, 42.0), (25.0, 3720.0)]
    assert course.factors() == [pytest.approx((42 - 10) / 45), pytest.approx((3720 - 5) / 30)]
    assert courses[Material.parse("KPvK")].factors() == []
