from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import tbgen
from tbgen.apps.games.decide import Verdict
from tbgen.position.bracket import Bracket
from tbgen.probe.answers import Moves


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


ANSWERS = (Verdict, Bracket, Moves)
"""Results of public functions that have no public name; docs/api.rst describes them too."""

VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def functions_of(kind: type) -> Iterator[tuple[str, Any, bool]]:
    """The public methods and properties of a class that are ours, and whether each is a property."""
    for name, member in inspect.getmembers_static(kind):
        read = getattr(member, "fget", None) or getattr(member, "func", None)
        function = read or getattr(member, "__func__", member)
        if inspect.isfunction(function) and function.__module__.startswith("tbgen") and not name.startswith("_"):
            yield name, function, read is not None


def missing_of_function(function: Any, text: str, shown: str) -> list[str]:
    """The parts of a docstring that a function needs and lacks; `shown` are the examples of its class."""
    signature = inspect.signature(function)
    names = [name for name in signature.parameters if name not in ("self", "cls")]
    missing = [name for name in names if not re.search(rf"^    {name}: ", text, re.M)]
    missing += ["Returns"] * (signature.return_annotation != "None" and "Returns:" not in text)
    missing += [name for name in re.findall(r"\braise (\w+)\(", inspect.getsource(function)) if f"{name}:" not in text]
    return missing + ["example"] * (">>>" not in text and f".{function.__name__}(" not in shown)


def missing_of_class(kind: type, text: str) -> list[str]:
    """The parts that the docstring of a class needs and lacks: arguments, fields, members, an example."""
    hints = vars(kind).get("__annotations__", {})
    names = [name for name, hint in hints.items() if not str(hint).startswith("InitVar")]  # tables alone give those
    names += [each.name for each in kind] if issubclass(kind, enum.Enum) else []
    if not dataclasses.is_dataclass(kind) and inspect.isfunction(makes := vars(kind).get("__init__")):
        names += [each.name for each in inspect.signature(makes).parameters.values() if each.kind not in VARIABLE]
    said = re.findall(r"^    (\w+): ", text, re.M)
    said += re.findall(r'^    (\w+)\b.*\n    """', inspect.getsource(kind), re.M)
    missing = [name for name in names if name != "self" and not name.startswith("_") and name not in said]
    return missing + ["example"] * (">>>" not in text)


def test_the_docstring_of_every_public_name_and_method_has_the_parts_that_apply() -> None:
    missing = dict[str, list[str]]()
    public = {name: getattr(tbgen, name) for name in tbgen.__all__ if name != "__version__"}
    for name, thing in {**public, **{each.__name__: each for each in ANSWERS}}.items():
        text = inspect.getdoc(thing) or ""
        if not inspect.isclass(thing):
            missing[name] = missing_of_function(thing, text, "")
            continue
        missing[name] = missing_of_class(thing, text)
        for inner, function, is_property in functions_of(thing):
            said = inspect.getdoc(function) or ""
            lacks = [] if is_property else missing_of_function(function, said, text)
            missing[f"{name}.{inner}"] = lacks + ["text"] * (not said)
    assert {name: parts for name, parts in missing.items() if parts} == {}
