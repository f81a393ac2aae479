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
from tbgen.closures.bracket import Bracket
from tbgen.probe.answers import Moves
from tests.project import ROOT


def test_every_public_name_is_there_and_listed_in_order() -> None:
    assert tbgen.__all__ == sorted(tbgen.__all__)
    for name in tbgen.__all__:
        assert getattr(tbgen, name) is not None
    assert set(tbgen.__all__) == set(dir(tbgen))


def test_type_checkers_are_told_of_the_same_modules() -> None:
    tree = ast.parse(inspect.getsource(tbgen))
    imports = [
        each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) and each.col_offset > 0
    ]
    assert {name.asname: each.module for each in imports for name in each.names} == tbgen._MODULES


def test_the_public_names_are_few() -> None:
    assert len(tbgen.__all__) <= 34


def test_no_type_name_has_two_meanings() -> None:
    meanings = defaultdict[str, list[str]](list)
    for path in (ROOT / "tbgen").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            target = (
                node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            )
            name = str(getattr(node, "name", getattr(target, "id", ""))).lstrip("_")
            if re.fullmatch("[A-Z][a-z]+[A-Za-z]*", name):
                meanings[name].append(f"{path}:{node.lineno}")
    assert {name: found for name, found in meanings.items() if len(found) > 1} == {}


def test_importing_tbgen_loads_nothing_else() -> None:
    code = "import sys, tbgen; print([name for name in sys.modules if name.startswith(('tbgen.', 'chess', 'numpy'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_that_does_not_exist_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tbgen.nonsense  # noqa: B018


ANSWERS = (Verdict, Bracket, Moves)
"""Results of public functions that have no public name; docs/api.rst describes them too."""


def missing_in(function: Any, shown: str) -> list[str]:
    """The parts of a docstring that a function needs and lacks; `shown` are the examples of its class."""
    text, signature = inspect.getdoc(function) or "", inspect.signature(function)
    parts = [f"    {name}: " for name in signature.parameters if name not in ("self", "cls")]
    parts += ["Returns:"] * (signature.return_annotation != "None")
    parts += [f"{name}:" for name in re.findall(r"\braise (\w+)\(", inspect.getsource(function))]
    missing = [part for part in parts if part not in text]
    return missing + ["example"] * (">>>" not in text and f".{function.__name__}(" not in shown)


def test_the_docstring_of_every_public_name_and_method_has_the_parts_that_apply() -> None:
    missing = dict[str, list[str]]()
    for thing in (
        *(getattr(tbgen, name) for name in tbgen.__all__ if name != "__version__"),
        *ANSWERS,
    ):
        text, name = inspect.getdoc(thing) or "", thing.__name__
        if not inspect.isclass(thing):
            missing[name] = missing_in(thing, "")
            continue
        members = {**vars(thing), **getattr(thing, "__members__", {})}
        named = [*vars(thing).get("__annotations__", {}), *getattr(thing, "__members__", {})]
        said = re.findall(
            r"^    (\w+)(?:: .*|\b.*\n    \"\"\")", f"{text}\n{inspect.getsource(thing)}", re.M
        )
        missing[name] = [each for each in named if each[0] != "_" and each not in said] + [
            "example"
        ] * (">>>" not in text)
        for inner, member in members.items():
            read = getattr(member, "fget", None) or getattr(member, "func", None)
            function = read or getattr(member, "__func__", member)
            if inspect.isfunction(function) and inner[0] != "_":
                missing[f"{name}.{inner}"] = missing_in(function, text) if read is None else []
                missing[f"{name}.{inner}"] += ["text"] * (not function.__doc__)
    assert {name: parts for name, parts in missing.items() if parts} == {}


def test_types_are_checked_less_only_in_modules_that_exist() -> None:
    """mypy passes over the name of a module that is gone."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = [name for part in settings["tool"]["mypy"]["overrides"] for name in part["module"]]
    own = [name for name in names if name.startswith("tbgen.")]
    assert own
    for name in own:
        path = ROOT / name.removesuffix(".*").replace(".", "/")
        assert path.is_dir() if name.endswith(".*") else path.with_suffix(".py").is_file(), name
