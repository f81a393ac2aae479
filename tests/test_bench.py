from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "bench.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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

    boards = bench.random_boards(Material.parse("KPvKP"), 20)
    assert all(board.is_valid() and any(board.legal_moves) for board in boards)
    assert boards == bench.random_boards(Material.parse("KPvKP"), 20)
