from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from typing import Any

import pytest

import tbgen
from tbgen.apps.games.decide import Verdict
from tbgen.closures.bounds import Bracket
from tbgen.probe.answers import Moves
from tests.project import ROOT


def test_every_public_name_is_there_and_listed_in_order() -> None:
    assert tbgen.__all__ == sorted(tbgen.__all__)
    for name in tbgen.__all__:
        assert getattr(tbgen, name) is not None
    assert set(tbgen.__all__) == set(dir(tbgen))


def test_type_checkers_are_told_of_the_same_modules() -> None:
    modules = dict[str | None, str | None]()
    for node in ast.walk(ast.parse(inspect.getsource(tbgen))):
        if isinstance(node, ast.ImportFrom) and node.col_offset > 0:
            for name in node.names:
                modules[name.asname] = node.module
    assert modules == tbgen._MODULES


def test_the_public_names_are_few() -> None:
    assert len(tbgen.__all__) <= 34


def test_no_type_name_has_two_meanings() -> None:
    meanings = defaultdict[str, list[str]](list)
    for path in (ROOT / "tbgen").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            name = name_defined(node).lstrip("_")
            if re.fullmatch("[A-Z][a-z]+[A-Za-z]*", name):
                meanings[name].append(f"{path}:{node.lineno}")
    assert {name: places for name, places in meanings.items() if len(places) > 1} == {}


def name_defined(node: ast.stmt) -> str:
    """The name that a statement of a module defines; empty if it defines none."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name
    target: ast.expr | None = None
    if isinstance(node, ast.Assign):
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else ""


LOADED = """
import sys
import tbgen
for name in sys.modules:
    if name.startswith(("tbgen.", "chess", "numpy")):
        print(name)
"""


def test_importing_tbgen_loads_nothing_else() -> None:
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert run.stdout == ""


def test_a_name_that_does_not_exist_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tbgen.nonsense  # noqa: B018


ANSWERS = (Verdict, Bracket, Moves)
"""Results of public functions that have no public name; docs/api.rst describes them too."""


MEMBER = re.compile(r"^    (\w+)(?:: .*|\b.*\n    \"\"\")", re.MULTILINE)
"""A field that a class describes: in its docstring, or below the field."""


def test_the_docstring_of_every_public_name_and_method_has_the_parts_that_apply() -> None:
    public: list[Any] = [getattr(tbgen, name) for name in tbgen.__all__ if name != "__version__"]
    missing = dict[str, list[str]]()
    for thing in (*public, *ANSWERS):
        name = thing.__name__
        if not inspect.isclass(thing):
            missing[name] = missing_in(thing, examples="")
            continue
        missing[name] = missing_in_class(thing)
        for member_name, member in inspect.getmembers_static(thing):
            is_own = member_name in vars(thing) and not member_name.startswith("_")
            if is_own:
                missing[f"{name}.{member_name}"] = missing_in_member(thing, member)
    assert {name: parts for name, parts in missing.items() if parts} == {}


def missing_in(function: Any, *, examples: str) -> list[str]:
    """The parts that the docstring of a function needs and lacks.

    An example may stand among those of the function's class.
    """
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    parts = [f"    {name}: " for name in signature.parameters if name not in ("self", "cls")]
    if signature.return_annotation != "None":
        parts.append("Returns:")
    for error in re.findall(r"\braise (\w+)\(", inspect.getsource(function)):
        parts.append(f"{error}:")
    missing = [part for part in parts if part not in text]
    if not function.__doc__:
        missing.append("text")
    if ">>>" not in text and f".{function.__name__}(" not in examples:
        missing.append("example")
    return missing


def missing_in_class(thing: type) -> list[str]:
    """The fields and members that a class does not describe, and its example if it has none."""
    text = inspect.getdoc(thing) or ""
    described = MEMBER.findall(f"{text}\n{inspect.getsource(thing)}")
    fields = [*vars(thing).get("__annotations__", {}), *getattr(thing, "__members__", {})]
    missing = [field for field in fields if not field.startswith("_") and field not in described]
    if ">>>" not in text:
        missing.append("example")
    return missing


def missing_in_member(thing: type, member: Any) -> list[str]:
    """The same of a member; a property needs a text alone."""
    getter = getattr(member, "fget", None) or getattr(member, "func", None)
    if getter is not None:
        return [] if getter.__doc__ else ["text"]
    function = getattr(member, "__func__", member)
    if not inspect.isfunction(function):
        return []
    return missing_in(function, examples=inspect.getdoc(thing) or "")


def test_types_are_checked_less_only_in_modules_that_exist() -> None:
    """mypy passes over the name of a module that is gone."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = [name for part in settings["tool"]["mypy"]["overrides"] for name in part["module"]]
    own = [name for name in names if name.startswith("tbgen.")]
    assert own
    for name in own:
        path = ROOT / name.removesuffix(".*").replace(".", "/")
        assert path.is_dir() if name.endswith(".*") else path.with_suffix(".py").is_file(), name
