"""What kernels take has a type that mypy holds them to, and what they take is few things."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import tbgen

ROOT = Path(tbgen.__file__).parent
DECORATORS = {"borrowing", "inlined", "inner", "kernel", "small"}
"""Those of tbgen/_jit.py."""

UNTYPED = {"retro"}
"""Packages in which some kernels have no types yet; a name goes as soon as its last parameter has one."""


def kernels() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Every function that is compiled, with the module that it stands in."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                names = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
                if names & DECORATORS:
                    yield path, node


def test_every_parameter_and_result_of_a_kernel_has_a_type() -> None:
    typed, untyped = 0, Counter[str]()
    for path, node in kernels():
        package = path.relative_to(ROOT).parts[0]
        has_type = [argument.annotation is not None for argument in node.args.args] + [node.returns is not None]
        typed += has_type.count(True)
        untyped[package] += has_type.count(False)
    total = typed + untyped.total()
    print(f"{typed} of {total} parameters and results of kernels have a type: {typed / total:.1%}")
    assert {package for package, count in untyped.items() if count} == UNTYPED


def test_no_type_of_a_kernel_is_any() -> None:
    for path, node in kernels():
        types = [argument.annotation for argument in node.args.args] + [node.returns]
        names = {each.id for kind in types if kind is not None for each in ast.walk(kind) if isinstance(each, ast.Name)}
        assert "Any" not in names, f"{path.name}: {node.name}"
