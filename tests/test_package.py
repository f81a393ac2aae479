from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import subprocess
import sys
import typing

import numpy as np
import pytest

import tbgen


def test_every_public_name_is_there_and_listed_in_order() -> None:
    assert tbgen.__all__ == sorted(tbgen.__all__)
    for name in tbgen.__all__:
        assert getattr(tbgen, name) is not None
    assert set(tbgen.__all__) == set(dir(tbgen))


def test_the_public_names_are_few() -> None:
    assert len(tbgen.__all__) <= 34


def test_importing_tbgen_loads_nothing_else() -> None:
    code = "import sys, tbgen; print([name for name in sys.modules if name.startswith(('tbgen.', 'chess', 'numpy'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_that_does_not_exist_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tbgen.nonsense  # noqa: B018


def holds_arrays(kind: type) -> bool:
    """Whether a field of a data class is an array."""
    hints = typing.get_type_hints(kind, include_extras=True).values()
    return any(np.ndarray in (typing.get_origin(hint), hint) for hint in hints)


def test_no_data_class_that_holds_arrays_compares_or_hashes_them() -> None:
    found = set()
    for module in pkgutil.walk_packages(tbgen.__path__, "tbgen."):
        if module.name == "tbgen.__main__":
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and holds_arrays(kind):
                found.add(kind.__name__)
                assert kind.__eq__ is object.__eq__, kind
                assert kind.__hash__ is object.__hash__, kind
    assert {"Layout", "BulkProbe", "Patterns", "States", "Table"} <= found


def test_every_public_function_has_a_line_that_says_what_and_an_example_that_runs() -> None:
    without = {"read_games"}  # it needs a file
    for name in tbgen.__all__:
        thing = getattr(tbgen, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            assert (">>>" in (inspect.getdoc(thing) or "")) == (name not in without), name
