"""What the check of packed lines finds, and what it lets pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import packed

PACKED = {
    "a, b, c = 1, 2, 3": "assigns 3 values at once",
    "a, b = f(x), 2": "assigns two values at once, one of them from a call",
    "self.a, b = 1, [g() for _ in c]": "assigns two values at once, one of them from a call",
    "a += [b] * (c != d)": "multiplies a list or a text by a truth value",
    "a = 'best' * move.is_best": "multiplies a list or a text by a truth value",
    "a = (not b) * [c]": "multiplies a list or a text by a truth value",
    "f(*(a, b))": "unpacks a literal",
    "f(**({'a': 1} if b else {}))": "unpacks a literal",
    "a = {**({'a': 1} if b else {})}": "unpacks a literal",
    "f(a := 1)": "assigns within an argument",
    "f(b=[a := 1])": "assigns within an argument",
    "c = [a for b in c if (a := b)]": "assigns within a comprehension",
    "if b and (a := c): pass": "assigns within a condition of several parts",
    "f(a)  # fmt: " + "skip": "keeps the formatter away",
    f"a = '{'b' * 95}'": "is longer than 100 characters",
}


@pytest.mark.parametrize(("source", "text"), PACKED.items(), ids=PACKED)
def test_a_packed_line_is_found(source: str, text: str) -> None:
    assert packed.faults_in(f"pass\n{source}\n") == [packed.Fault(2, text)]


@pytest.mark.parametrize(
    "source",
    [
        "a, b = b, a",
        "a, b = 0, 0",
        "a, b = f()",
        "a = [0] * number",
        "a = '-' * 20",
        "f(*numbers)",
        "f(**settings)",
        "a = {**b, 'c': 1}",
        "while piece := read(): pass",
        "if match := pattern.match(f(a)): pass",
        "if (a := b) > c: pass",
        f"a = '{'b' * 94}'",
    ],
)
def test_a_plain_line_passes(source: str) -> None:
    assert packed.faults_in(source) == []


def test_a_file_with_a_packed_line_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packed, "ROOT", tmp_path)
    plain = tmp_path / "plain.py"
    plain.write_text("a = 1\n")
    file = tmp_path / "packed.py"
    file.write_text("a, b, c = 1, 2, 3\n")
    assert packed.check([plain]) == 0
    assert packed.check([plain, file]) == 1
    assert capsys.readouterr().out == "packed.py:1: assigns 3 values at once\n"


def test_density_counts_in_a_hundred_statements() -> None:
    density = packed.Density()
    density.add('"""Says."""\na, b = 1, 2\nc = a if b else [d for d in e]\n\nf = ' + "1" * 100)
    assert density.row("it") == "| it | 3 | 33.3 | 33.3 | 33.3 | 0.0 | 0.0 | 25.0 | 0 |"
