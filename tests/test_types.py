"""What kernels take has a type that says something (mypy asks for one anyway), and what they take is few things."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tbgen

ROOT = Path(tbgen.__file__).parent
DECORATORS = {"borrowing", "inlined", "inner", "kernel", "small"}
"""Those of tbgen/compiled/jit.py."""


def kernels() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Every function that is compiled, with the module that it stands in."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                names = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
                if names & DECORATORS:
                    yield path, node


def test_no_type_of_a_kernel_is_any() -> None:
    for path, node in kernels():
        types = [argument.annotation for argument in node.args.args] + [node.returns]
        names = {each.id for kind in types if kind is not None for each in ast.walk(kind) if isinstance(each, ast.Name)}
        assert "Any" not in names, f"{path.name}: {node.name}"


def test_no_kernel_takes_more_than_seven_things() -> None:
    many = [(path.name, node.name) for path, node in kernels() if len(node.args.args) > 7]
    assert not many
