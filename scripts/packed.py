#!/usr/bin/env python3
"""Find lines that say several things at once, as docs/design/code.md describes them.

packed.py                        name them, and fail if there is one
packed.py --table tbgen click    how packed folders or installed packages are
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEARCHED = ("tbgen", "scripts", "research", "tests", "docs/examples")
LONGEST_LINE = 100
MOST_ASSIGNED = 2
"""The values of one assignment: a swap has two."""
_SKIP = "# fmt: " + "skip"

Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Literal = (ast.List, ast.Tuple, ast.Set, ast.Dict)


@dataclass(frozen=True)
class Fault:
    """A packed line."""

    line: int
    text: str


def faults_in(source: str) -> list[Fault]:
    """The packed lines of a module, in order.

    >>> faults_in("a, b, c = 1, 2, 3")
    [Fault(line=1, text='assigns 3 values at once')]
    """
    faults = []
    for number, line in enumerate(source.splitlines(), 1):
        if _SKIP in line:
            faults.append(Fault(number, "keeps the formatter away"))
        if len(line) > LONGEST_LINE:
            faults.append(Fault(number, f"is longer than {LONGEST_LINE} characters"))
    for node in ast.walk(ast.parse(source)):
        for text in _faults_of(node):
            faults.append(Fault(getattr(node, "lineno", 0), text))
    return sorted(faults, key=_line_of)


def _line_of(fault: Fault) -> int:
    return fault.line


def _faults_of(node: ast.AST) -> Iterator[str]:
    """What is wrong with one node of a module."""
    values = values_assigned(node)
    if len(values) > MOST_ASSIGNED:
        yield f"assigns {len(values)} values at once"
    elif any(_has(value, ast.Call) for value in values):
        yield "assigns two values at once, one of them from a call"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        if _repeats(node.left, node.right) or _repeats(node.right, node.left):
            yield "multiplies a list or a text by a truth value"
    elif isinstance(node, ast.Starred) and isinstance(node.value, Literal):
        yield "unpacks a literal"
    elif isinstance(node, ast.Call):
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if any(_has(argument, ast.NamedExpr) for argument in arguments):
            yield "assigns within an argument"
        unpacked = [keyword.value for keyword in node.keywords if keyword.arg is None]
        if any(_is_literal_or_choice(value) for value in unpacked):
            yield "unpacks a literal"
    elif isinstance(node, ast.Dict):
        unpacked = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
        if any(_is_literal_or_choice(value) for value in unpacked):
            yield "unpacks a literal"
    elif isinstance(node, Comprehension) and _has(node, ast.NamedExpr):
        yield "assigns within a comprehension"
    elif isinstance(node, ast.BoolOp) and _has(node, ast.NamedExpr):
        yield "assigns within a condition of several parts"


def values_assigned(node: ast.AST) -> list[ast.expr]:
    """The values that stand beside each other, if they are assigned to targets that do, too."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
        return []
    return node.value.elts if isinstance(node.targets[0], ast.Tuple) else []


def _has(node: ast.AST, kind: type[ast.AST]) -> bool:
    return any(isinstance(inner, kind) for inner in ast.walk(node))


def _repeats(sequence: ast.expr, times: ast.expr) -> bool:
    """Whether a list, a tuple or a text is taken once or not at all."""
    is_text = isinstance(sequence, ast.Constant) and isinstance(sequence.value, str)
    is_sequence = isinstance(sequence, (ast.List, ast.Tuple, ast.JoinedStr)) or is_text
    return is_sequence and _is_truth_value(times)


def _is_truth_value(node: ast.expr) -> bool:
    """Whether a value is a truth value, as far as its form or its name tells."""
    if isinstance(node, (ast.Compare, ast.BoolOp)):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    name = node.func if isinstance(node, ast.Call) else node
    word = getattr(name, "attr", getattr(name, "id", ""))
    return word == "bool" or word.startswith(("is_", "has_"))


def _is_literal_or_choice(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return isinstance(node.body, ast.Dict) or isinstance(node.orelse, ast.Dict)
    return isinstance(node, ast.Dict)


def searched_files() -> list[Path]:
    return [file for folder in SEARCHED for file in sorted((ROOT / folder).rglob("*.py"))]


def check(files: Iterable[Path]) -> int:
    """Print the packed lines; the exit code is 1 if there is one."""
    code = 0
    for file in files:
        for fault in faults_in(file.read_text(encoding="utf-8")):
            print(f"{file.relative_to(ROOT)}:{fault.line}: {fault.text}")
            code = 1
    return code


@dataclass
class Density:
    """How often the statements of some files do several things at once."""

    statements: int = 0
    tuples: int = 0
    choices: int = 0
    comprehensions: int = 0
    walruses: int = 0
    lambdas: int = 0
    lines: int = 0
    long_lines: int = 0
    skips: int = 0

    def add(self, source: str) -> None:
        """Count one module."""
        for line in source.splitlines():
            if line.strip():
                self.lines += 1
            if len(line) > LONGEST_LINE:
                self.long_lines += 1
            if _SKIP in line:
                self.skips += 1
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.stmt) and not _is_docstring(node):
                self.statements += 1
            if values_assigned(node):
                self.tuples += 1
            elif isinstance(node, ast.IfExp):
                self.choices += 1
            elif isinstance(node, Comprehension):
                self.comprehensions += 1
            elif isinstance(node, ast.NamedExpr):
                self.walruses += 1
            elif isinstance(node, ast.Lambda):
                self.lambdas += 1

    def row(self, name: str) -> str:
        """The counts in a hundred statements, and the share of long lines in percent."""
        counts = (self.tuples, self.choices, self.comprehensions, self.walruses, self.lambdas)
        shares = [100 * count / max(self.statements, 1) for count in counts]
        shares.append(100 * self.long_lines / max(self.lines, 1))
        cells = " | ".join(f"{share:.1f}" for share in shares)
        return f"| {name} | {self.statements:,} | {cells} | {self.skips} |"


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def show_table(names: Iterable[str]) -> None:
    """Print a row for each folder, or for each package that this Python has."""
    columns = "statements | tuples | `a if b else c` | comprehensions | `:=` | lambdas"
    print(f"| | {columns} | > {LONGEST_LINE} % | skips |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        density = Density()
        for file in sorted(_folder_of(name).rglob("*.py")):
            density.add(file.read_text(encoding="utf-8", errors="replace"))
        print(density.row(name))


def _folder_of(name: str) -> Path:
    folder = ROOT / name
    if folder.is_dir():
        return folder
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{name} is neither a folder nor a package of this Python")
    return Path(spec.origin).parent


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--table", nargs="+", metavar="NAME", help="count instead")
    wanted = parser.parse_args()
    if wanted.table:
        show_table(wanted.table)
        return 0
    return check(searched_files())


if __name__ == "__main__":
    sys.exit(main())
