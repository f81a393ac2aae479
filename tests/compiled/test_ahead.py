"""Kernels compiled in processes of their own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tbgen.compiled import known
from tbgen.compiled.known import Known, Purpose, compile_all, missing

SMALL = "tbgen.retro.levels.histories", "_count"


def kernel(name: str, *calls: str, module: str = "tbgen.retro.made_up") -> Known:
    return Known(module, name, ("int64",), tuple(f"{module}:{call}" for call in calls))


def order_of(kernels: list[Known]) -> list[str]:
    """In which order one process is given kernels."""
    queue, order = known._Queue(kernels, lambda done, total: None), list[str]()
    while each := queue.take("one"):
        order.append(each.name)
        queue.done(each)
    return order


def test_a_kernel_comes_after_those_that_are_compiled_into_it() -> None:
    assert order_of([kernel("whole", "half", "other"), kernel("half"), kernel("other")]) == ["half", "other", "whole"]
    assert order_of([kernel("one", "two"), kernel("two", "one")]) == ["one", "two"], "a ring stops nobody"


def test_kernels_are_compiled_to_where_they_are_sought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever folder the user is in: one of ours, say, with other sources."""
    (tmp_path / "elsewhere" / "tbgen").mkdir(parents=True)
    (tmp_path / "elsewhere" / "tbgen" / "__init__.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path))
    wanted = [each for each in known.known(Purpose.TABLES) if (each.module, each.name) == SMALL]
    told: list[tuple[int, int]] = []
    unknown = Known("tbgen.retro.nothing", "nothing", (), ())
    compile_all([*wanted, unknown], lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)], "one that cannot be compiled is passed over"
    assert [path.parent.name for path in tmp_path.rglob("_count-*.nbc")] == ["tbgen.retro.levels.histories"]


def test_what_is_missing_is_counted_by_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *rest = known.known(Purpose.TABLES)
    wanted = (first, Known(first.module, first.name, (), ()), *rest)
    monkeypatch.setattr(known, "known", lambda purpose: wanted)
    names = Counter(each.name for each in wanted)
    monkeypatch.setattr(known, "compiled_kernels", lambda package: [])
    assert missing([Purpose.TABLES]) == list(wanted)
    assert len(missing([Purpose.TABLES, Purpose.TABLES])) == len(wanted)
    monkeypatch.setattr(known, "compiled_kernels", lambda package: names.elements())
    assert not missing([Purpose.TABLES])
    monkeypatch.setattr(known, "compiled_kernels", lambda package: (names - Counter([first.name])).elements())
    assert {each.name for each in missing([Purpose.TABLES])} == {first.name}
