"""The mutations that research/mutants.py makes, and which tests it thinks are a file's."""

from __future__ import annotations

import ast

import pytest

from research import mutants

pytestmark = pytest.mark.slow

TEXT = '''"""Not a word of this, 1 < 2."""
import numpy

def first(one: int = 3, *, é: bool = True) -> int:
    if (one) < (two) and not "é" in é:
        raise ValueError(f"{one + 1} is too much")
    seen[one:] = probe(one, two, *rest)
    return min(one, two) if one else -two
'''


def changed_lines(text: str) -> set[str]:
    made = [each.apply(text) for each in mutants.Source("a.py", text).mutations()]
    assert len({ast.dump(ast.parse(each)) for each in made} - {ast.dump(ast.parse(text))}) > 0
    return {line.strip() for each in made for line in each.splitlines()} - {
        line.strip() for line in text.splitlines()
    }


def test_a_mutation_of_each_kind_keeps_all_other_text() -> None:
    changed = changed_lines(TEXT)
    assert {
        "def first(one: int = 4, *, é: bool = True) -> int:",
        "def first(one: int = 3, *, é: bool = False) -> int:",
        'if (one) <= (two) and not "é" in é:',
        'if (one) < (two) or not "é" in é:',
        'if (one) < (two) and ("é" in é):',
        'if not "é" in é:',
        "if False:",
        "seen[:] = probe(one, two, *rest)",
        "seen[one:] = probe(two, one, *rest)",
        "return max(one, two) if one else -two",
        "return min(one, two) if one else (two)",
        "pass",
    } <= changed
    assert not [line for line in changed if "too much" in line or "1 <" in line or "numpy" in line]


def test_a_seed_draws_the_same_mutations_and_every_kind() -> None:
    found = mutants.Source("a.py", TEXT).mutations()
    kinds = {each.kind for each in found}
    assert mutants.chosen(found, 99, 1) != mutants.chosen(found, 99, 2)
    assert mutants.chosen(found, len(kinds), 1) == mutants.chosen(found, 99, 1)[: len(kinds)]
    assert {each.kind for each in mutants.chosen(found, len(kinds), 1)} == kinds
    assert sorted(map(str, mutants.chosen(found, 99, 1))) == sorted(map(str, found))


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("tbgen/rules/notation.py", ["tests/rules/test_notation.py", "tbgen/rules"]),
        ("tbgen/score.py", ["tests/test_score.py", "tbgen/score.py"]),
    ],
)
def test_the_tests_of_a_file_are_those_beside_it(path: str, first: list[str]) -> None:
    found = mutants.tests_of(path)
    assert found[0] == first
    assert "tests/laws" in found[-1]


def test_a_line_belongs_to_the_innermost_statement_there() -> None:
    assert mutants.statement_at(TEXT, 5) == range(5, 6)  # the condition, not what depends on it
    assert mutants.statement_at("a = (\n1,\n2)\nb = 3", 2) == range(1, 4)


def test_equivalent_mutants_are_still_in_the_program_and_have_a_reason() -> None:
    reasons = mutants.equivalent()
    assert all(reasons.values())
    for name, line, old, _ in reasons:
        lines = [each.strip() for each in (mutants.ROOT / name).read_text().splitlines()]
        assert line in lines
        assert old in line
