from __future__ import annotations

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


def test_the_costs_of_a_folder_are_listed_and_replace_those_that_were_known(
    bench: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tbgen.library import costs
    from tbgen.library.manifest import FileRecord, record
    from tbgen.material import Material

    (tmp_path / "KQvK.h5").write_bytes(bytes(400))
    record(tmp_path, {Material.parse("KQvK"): FileRecord(1000, "", 2.0, 0.5, 5000, threads=1)})
    bench.main(["costs", "--data", str(tmp_path)])
    assert capsys.readouterr().out.splitlines()[1:] == ["KQvK,0.50,400,600"]
    known = (costs.MEASURED / "r-mobility.csv").read_text().splitlines()
    (tmp_path / "r-mobility.csv").write_text("\n".join(known))
    monkeypatch.setattr(costs, "MEASURED", tmp_path)
    bench.main(["costs", "--data", str(tmp_path), "--write"])
    changed = [line for line in (tmp_path / "r-mobility.csv").read_text().splitlines() if line not in known]
    assert changed == ["KQvK,0.50,400,600"]
    assert len((tmp_path / "r-mobility.csv").read_text().splitlines()) == len(known)
