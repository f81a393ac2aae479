"""Records that hold arrays are compared by identity: arrays have no single answer to whether they are equal."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import tbgen


def records() -> Iterator[type]:
    """Every dataclass of the package."""
    for module in pkgutil.walk_packages(tbgen.__path__, "tbgen."):
        if not module.name.endswith("__main__"):
            for _, found in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
                if dataclasses.is_dataclass(found) and found.__module__ == module.name:
                    yield found


def holds_arrays(kind: type) -> bool:
    """Whether a field is an array, under whatever name its type goes."""
    names = vars(importlib.import_module(kind.__module__))
    types = [names.get(str(field.type), field.type) for field in dataclasses.fields(kind)]
    return any("ndarray" in str(each).lower() for each in types)


def test_what_holds_arrays_can_be_hashed_and_compared() -> None:
    holders = [kind for kind in records() if holds_arrays(kind)]
    assert {"Patterns", "States", "Layout"} <= {kind.__name__ for kind in holders}
    assert [kind.__name__ for kind in holders if kind.__eq__ is not object.__eq__] == []
