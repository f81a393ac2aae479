"""Facts that are read back: a value has the type of its place, or the error names the place."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tbgen.reading import parse_json, read_as


@pytest.mark.parametrize(
    ("kind", "value", "fault"),
    [
        (tuple[int, int], [1, 2, 3], "it is [1, 2, 3], not a list of 2"),
        (tuple[int, int], [], "it is [], not a list of 2"),
        (tuple[int, str], [1, 2], "[1] is 2, not a text"),
        (tuple[int, str], [1], "it is [1], not a list of 2"),
        (tuple[str, ...], [1], "[0] is 1, not a text"),
        (list[tuple[int, int]], [[1, 2], [3]], "[1] is [3], not a list of 2"),
        (int | None, "a", "it is 'a', not a whole number from 0 on"),
        (int | str, None, "it is None, not a whole number from 0 on, and it is None, not a text"),
        (float, 1e999, "it is inf, not a finite number"),
        (bool, 1, "it is 1, not true or false"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_place(
    kind: Any, value: object, fault: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}$"):
        read_as(kind, value)


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (tuple[int, int], [1, 2], (1, 2)),
        (tuple[int, ...], [], ()),
        (tuple[int, str], [1, "a"], (1, "a")),
        (int | str | None, "a", "a"),
        (int | str | None, 1, 1),
        (int | str | None, None, None),
    ],
)
def test_a_value_of_its_type_is_read(kind: Any, value: object, read: object) -> None:
    assert read_as(kind, value) == read


def test_json_that_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(ValueError, match="nested too deep"):
        parse_json("[" * 1_000_000)
