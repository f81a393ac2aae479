"""Change the program a little, many times, and see which changes no test notices.

    mutants.py tbgen/rules --count 40         40 seeded mutations, each against the tests beside it
    mutants.py tbgen/probe --reach .coverage  each against all tests that reach its line
    mutants.py tbgen/index --list             print the mutations and run nothing

Each mutation is made in a copy of the working tree that has its own compiled kernels, so nothing
here changes. `--reach` takes what pytest-cov says of the whole suite:

    pytest -n auto --dist worksteal --cov=tbgen --cov-context=test --cov-report=

Compiled lines are in no such file; their mutants meet the tests beside them.

A mutant that fails a test, or hangs, is killed. A survivor is a missing test or code that does
nothing. Mutants that behave like the original stand in `research/equivalent_mutants.csv`, with the
reason.

mutmut chooses among mutants while the program runs, and mutatest patches byte code: compiled
kernels, which are kept by a digest of the sources, see neither. cosmic-ray changes the sources, but
drops no statements and swaps no arguments.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import csv
import os
import queue
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "research" / "equivalent_mutants.csv"
MEMORY = 6 * 2**30
"""Bytes that a mutant may hold; an endless one must not take the machine with it."""

COMPARISONS = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
}
OPPOSITES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutation:
    """A part of a file's text, and what stands there instead."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str

    def apply(self, source: str) -> str:
        """The text of the mutant."""
        return source[: self.start] + self.new + source[self.end :]

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {self.kind}: {_one_line(self.old)} -> {_one_line(self.new)}"
        )


def _one_line(text: str) -> str:
    return " ".join(text.split())


class Source:
    """A file's text and the mutations of it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text)
        self._lines = [0]  # where each begins
        for line in text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def mutations(self) -> list[Mutation]:
        """All of them that still parse and say something else."""
        found = []
        whole = ast.dump(self.tree)
        for node in self._nodes(self.tree):
            for mutation in self._of(node):
                try:
                    mutant = ast.parse(mutation.apply(self.text))
                except SyntaxError:
                    continue
                if ast.dump(mutant) != whole:
                    found.append(mutation)
        return found

    def _nodes(self, node: ast.AST) -> Iterator[ast.AST]:
        """All that says what the program does: no types, no imports, no words of errors, no
        documentation.
        """
        if isinstance(node, ast.Import | ast.ImportFrom):
            return
        yield node
        left_out = {"annotation", "returns", "decorator_list", "type_params", "bases"}
        if isinstance(node, ast.Raise):
            left_out |= {"exc", "cause"}
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            left_out |= {"test", "body"}
        for name, value in ast.iter_fields(node):
            if name not in left_out:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from self._nodes(child)

    def _of(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Compare():
                for left, operator, right in zip(
                    [node.left, *node.comparators], node.ops, node.comparators, strict=False
                ):
                    old, instead = COMPARISONS[type(operator)]
                    for new in instead:
                        yield self._between("comparison", left, right, old, new)
            case ast.BoolOp():
                old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield self._between("condition", left, right, old, new)
                    yield self._joined("condition dropped", left, right, keep=left)
                    yield self._joined("condition dropped", left, right, keep=right)
            case ast.BinOp() if type(node.op) in ARITHMETIC:
                yield self._between("arithmetic", node.left, node.right, *ARITHMETIC[type(node.op)])
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
                yield self._instead("sign", node, f"({self._text_of(node.operand)})")
            case ast.If() | ast.While() | ast.IfExp():
                yield self._instead("condition fixed", node.test, "True")
                if not isinstance(node, ast.While):
                    yield self._instead("condition fixed", node.test, "False")
            case ast.Constant():
                yield from self._of_constant(node)
            case ast.Slice():
                for bound in (node.lower, node.upper):
                    if bound is not None:
                        yield self._instead("bound dropped", bound, "")
            case ast.Call():
                yield from self._of_call(node)
            case ast.stmt():
                yield from self._of_statement(node)

    def _of_constant(self, node: ast.Constant) -> Iterator[Mutation]:
        if isinstance(node.value, bool):
            yield self._instead("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            yield self._instead("constant", node, str(node.value + 1))
            if node.value:
                yield self._instead("constant", node, str(node.value - 1))

    def _of_call(self, node: ast.Call) -> Iterator[Mutation]:
        for one, other in zip(node.args, node.args[1:], strict=False):
            if not {type(one), type(other)} & {ast.Starred, ast.JoinedStr} and not (
                is_text(one) and is_text(other)
            ):
                start = self._span(one)[0]
                end = self._span(other)[1]
                between = self.text[self._span(one)[1] : self._span(other)[0]]
                new = self._text_of(other) + between + self._text_of(one)
                yield self._mutation("arguments swapped", one, start, end, new)
        if isinstance(node.func, ast.Name) and node.func.id in OPPOSITES:
            yield self._instead("opposite", node.func, OPPOSITES[node.func.id])

    def _of_statement(self, node: ast.stmt) -> Iterator[Mutation]:
        """Without the statement, where that is no mere NameError."""
        match node:
            case ast.Expr(value=ast.Constant()):
                return
            case (
                ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
                | ast.Expr()
                | ast.AugAssign()
                | ast.Raise()
            ):
                yield self._instead("statement dropped", node, "pass")
            case ast.Break() | ast.Continue():
                yield self._instead("statement dropped", node, "pass")
            case ast.If(orelse=[]):
                yield self._instead("statement dropped", node, "pass")

    def _instead(self, kind: str, node: ast.AST, new: str) -> Mutation:
        return self._mutation(kind, node, *self._span(node), new)

    def _between(self, kind: str, left: ast.AST, right: ast.AST, old: str, new: str) -> Mutation:
        """Another operator between two operands, and all else as it is."""
        start = self._span(left)[1]
        end = self._span(right)[0]
        return self._mutation(kind, left, start, end, self.text[start:end].replace(old, new, 1))

    def _joined(self, kind: str, left: ast.AST, right: ast.AST, keep: ast.AST) -> Mutation:
        """One operand instead of two.

        Where a bracket stands between them it may not parse, and is left out.
        """
        start = self._span(left)[0]
        end = self._span(right)[1]
        return self._mutation(kind, left, start, end, self._text_of(keep))

    def _mutation(self, kind: str, node: ast.AST, start: int, end: int, new: str) -> Mutation:
        line = node.lineno  # type: ignore[attr-defined]
        return Mutation(self.path, line, kind, start, end, self.text[start:end], new)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends in the text."""
        first = self._at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return first, self._at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _at(self, line: int, column: int) -> int:
        """A place that the parser counts in bytes, in characters."""
        begin = self._lines[line - 1]
        before = self.text[begin : self._lines[line]].encode()[:column]
        return begin + len(before.decode())

    def _text_of(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.text[start:end]


def is_text(node: ast.AST) -> bool:
    """Whether a node is words in quotation marks; two of them exchanged only garble a message."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def chosen(mutations: list[Mutation], count: int, seed: int) -> list[Mutation]:
    """So many mutations, kind by kind in turn, so that constants do not crowd out all else."""
    by_kind: dict[str, list[Mutation]] = {}
    for mutation in mutations:
        by_kind.setdefault(mutation.kind, []).append(mutation)
    draw = random.Random(seed)
    for each in by_kind.values():
        draw.shuffle(each)
    taken: list[Mutation] = []
    while len(taken) < min(count, len(mutations)):
        taken += [by_kind[kind].pop() for kind in sorted(by_kind) if by_kind[kind]]
    return taken[:count]


def equivalent(path: Path = EQUIVALENT) -> dict[tuple[str, str, str, str], str]:
    """[file, text of the line, old, new] -> why nobody can notice."""
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    return {(name, line, old, new): reason for name, line, old, new, reason in rows[1:]}


def key_of(mutation: Mutation, source: str) -> tuple[str, str, str, str]:
    """What names a mutation as long as its line stays."""
    line = source.splitlines()[mutation.line - 1].strip()
    return mutation.path, line, _one_line(mutation.old), _one_line(mutation.new)


def sources_of(targets: list[str]) -> list[str]:
    """The files of some packages, beginning with `tbgen/`."""
    found = []
    for target in targets:
        path = (ROOT / target).resolve()
        if not path.exists():
            raise SystemExit(f"mutants: {target} does not exist")
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        found += [file.relative_to(ROOT).as_posix() for file in files]
    return found


def tests_of(path: str) -> list[list[str]]:
    """A file's tests, stage by stage: those of its own name and its doctests, those of its
    packages, those of all.
    """
    inside = Path(path).relative_to("tbgen")
    folders = [
        Path("tests", *inside.parts[:depth]) for depth in range(len(inside.parts) - 1, 0, -1)
    ]
    nearest = [folder for folder in folders if (ROOT / folder).is_dir()]
    own = Path("tests", *inside.parts[:-1], f"test_{inside.stem}.py")
    everyone = [Path("tests/laws"), Path("tests/test_arguments.py")]
    # A file that is named is searched for tests, too.
    examples = Path(path).parent if nearest else Path(path)
    stages = list[list[str]]()
    for paths in ([own, examples], *[[folder] for folder in nearest], everyone):
        stages.append([str(test) for test in paths if (ROOT / test).exists()])
    return stages


class Reach:
    """Which tests reach a line."""

    def __init__(self, path: str) -> None:
        from coverage import CoverageData  # type: ignore[import-not-found]

        self.data = CoverageData(path)
        self.data.read()
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only"]
        listed = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        self.there = set(listed.splitlines())
        """The tests of today: of a file that an older suite wrote some may be gone."""

    def tests(self, mutation: Mutation, source: str) -> list[str]:
        """The tests that reach the statement of a mutation, nearest first."""
        inside = Path(mutation.path).relative_to("tbgen")
        own = f"test_{inside.stem}.py::"
        folder = f"tests/{inside.parent.as_posix()}/"
        by_line = self.data.contexts_by_lineno(str(ROOT / mutation.path))
        names = set[str]()
        for line in statement_at(source, mutation.line):
            for context in by_line.get(line, ()):
                test, _, _ = context.rpartition("|")
                names.add(test)
        names &= self.there
        return sorted(names, key=lambda name: (own not in name, not name.startswith(folder), name))


def statement_at(source: str, line: int) -> range:
    """The lines of the innermost statement there, without those of the statements within it."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.end_lineno is not None:
            body: list[ast.stmt] = getattr(node, "body", [])
            end = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
            spans.append(range(node.lineno, end + 1))
    return max(
        (each for each in spans if line in each),
        key=lambda each: each.start,
        default=range(line, line + 1),
    )


class Copy:
    """A copy of the working tree, with kernels of its own."""

    def __init__(self, folder: Path, kernels: Path) -> None:
        self.folder = folder / "tree"
        self.kernels = folder / "kernels"
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(
            listing, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split("\0")
        for name in filter(None, names):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)
        (self.folder / ".venv").symlink_to(ROOT / ".venv")
        if kernels.is_dir():
            shutil.copytree(kernels, self.kernels)
        self.kernels.mkdir(mode=0o700, exist_ok=True)

    def passes(
        self, tests: list[str], seconds: float, *options: str, is_mutant: bool
    ) -> tuple[bool, str]:
        """Whether the tests pass in time, none at all included, and what was said last."""
        environment = os.environ | {
            "TBGEN_CACHE": str(self.kernels),
            "PYTHONPATH": str(self.folder),
        }
        if (
            is_mutant
        ):  # byte code is kept by size and second: a mutant's could be taken for another's
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        own = [
            "-x",
            "-q",
            "--tb=line",
            "-p",
            "no:cacheprovider",
            f"--basetemp={self.folder.parent / 'scratch'}",
        ]
        names = self.folder.parent / "tests"
        output = self.folder.parent / "output"
        names.write_text("\n".join(tests))
        command = [sys.executable, "-m", "pytest", *own, *options, f"@{names}"]
        with output.open("w+") as file:
            running = subprocess.Popen(
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
                preexec_fn=as_a_guest,
            )
            try:
                code, said = waited_for(running, seconds)
            finally:
                with_all_it_started(running)
        if said:
            return False, said
        lines = [line for line in output.read_text(errors="replace").splitlines() if line.strip()]
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        return code in (0, 5), (failed or lines or ["nothing"])[-1][:160]

    def survives(
        self, mutation: Mutation, stages: list[list[str]], seconds: float
    ) -> tuple[bool, str]:
        """Whether a mutant passes the tests, stage by stage; the copy is then as it was."""
        path = self.folder / mutation.path
        source = path.read_text()
        known = set(self.kernels.iterdir())
        path.write_text(mutation.apply(source))
        try:
            for tests in stages:
                passed, said = self.passes(tests, seconds, is_mutant=True)
                if not passed:
                    return False, said
            return True, said
        finally:
            path.write_text(source)
            for folder in set(self.kernels.iterdir()) - known:
                shutil.rmtree(folder, ignore_errors=True)


def as_a_guest() -> None:
    """Give way to others."""
    os.nice(2)


def waited_for(process: subprocess.Popen[bytes], seconds: float) -> tuple[int, str]:
    """The exit code of a process, or why nobody waits for it any longer."""
    end = time.monotonic() + seconds
    status = Path("/proc", str(process.pid), "statm")
    while time.monotonic() < end:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(1), ""
        with contextlib.suppress(OSError):  # it has just ended, or the system has no such file
            if int(status.read_text().split()[1]) * resource.getpagesize() > MEMORY:
                return 1, f"more than {MEMORY >> 30} GiB"
    return 1, f"no answer after {seconds:.0f} s"


def with_all_it_started(process: subprocess.Popen[bytes]) -> None:
    """End a process and those of its session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Hunt:
    """Mutants against tests, as many at a time as there are copies."""

    def __init__(self, folder: Path, wanted: argparse.Namespace) -> None:
        self.folder = folder
        self.wanted = wanted
        self.copies: queue.Queue[Copy] = queue.Queue()

    def prepare(self, tests: list[str]) -> float:
        """Seconds that all tests take without a mutation. Kernels are compiled for all copies
        meanwhile.

        Tests that reach a line have been run before, and are most of the suite: whether they are
        there is enough.
        """
        from tbgen.compiled.folders import cache_home

        first = Copy(self.folder / "0", cache_home())
        begun = time.monotonic()
        options = ["--collect-only"] if self.wanted.reach else []
        passed, said = first.passes(tests, 3600, *options, is_mutant=False)
        if not passed:
            raise SystemExit(f"mutants: the tests fail without any mutation: {said}")
        seconds = 300 if self.wanted.reach else time.monotonic() - begun
        self.copies.put(first)
        for number in range(1, self.wanted.jobs):
            self.copies.put(Copy(self.folder / str(number), first.kernels))
        return seconds

    def meet(self, mutation: Mutation, stages: list[list[str]], seconds: float) -> bool:
        """Whether a mutant survives its tests; says so."""
        copy = self.copies.get()
        begun = time.monotonic()
        try:
            survived, said = copy.survives(mutation, stages, 2 * seconds + self.wanted.patience)
        finally:
            self.copies.put(copy)
        end = "SURVIVED" if survived else "killed  "
        print(f"{end} {time.monotonic() - begun:4.0f} s  {mutation}", flush=True)
        if not survived:
            print(f"                 by {said}", flush=True)
        return survived


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", nargs="+", help="a package or file, such as tbgen/rules")
    parser.add_argument("--count", type=int, default=20, help="how many mutations (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--line", type=int, action="append", help="mutations of this line only")
    parser.add_argument("--tests", nargs="+", help="tests to run instead of those beside the file")
    parser.add_argument(
        "--reach", help="what pytest-cov wrote of the suite: run the tests that reach a line"
    )
    parser.add_argument("-j", "--jobs", type=int, default=2, help="mutants at a time (default 2)")
    parser.add_argument(
        "--patience",
        type=float,
        default=240,
        help="seconds beyond the usual time, to compile kernels",
    )
    parser.add_argument("--list", action="store_true", help="print the mutations and run nothing")
    wanted = parser.parse_args()

    texts = {name: (ROOT / name).read_text() for name in sources_of(wanted.target)}
    found = list[Mutation]()
    for name, text in texts.items():
        found += Source(name, text).mutations()
    if wanted.line:
        found = [each for each in found if each.line in wanted.line]
    reasons = equivalent()
    known = [each for each in found if key_of(each, texts[each.path]) in reasons]
    mutants = chosen([each for each in found if each not in known], wanted.count, wanted.seed)
    chosen_by = f"{len(mutants)} chosen by seed {wanted.seed}"
    print(f"{len(found)} mutations, {len(known)} known as equivalent, {chosen_by}")
    if wanted.list:
        print(*mutants, sep="\n")
        return
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        hunt = Hunt(Path(folder), wanted)
        stages = dict[Mutation, list[list[str]]]()
        for mutant in mutants:
            stages[mutant] = [wanted.tests] if wanted.tests else tests_of(mutant.path)
        if wanted.reach:
            reach = Reach(wanted.reach)
            for mutant in mutants:
                tests = reach.tests(mutant, texts[mutant.path])
                if tests:
                    stages[mutant] = [tests]
        all_tests = set[str]()
        for stages_of_mutant in stages.values():
            all_tests.update(*stages_of_mutant)
        seconds = hunt.prepare(sorted(all_tests))
        with ThreadPoolExecutor(wanted.jobs) as pool:
            fates = pool.map(lambda each: hunt.meet(each, stages[each], seconds), mutants)
            survivors = [each for each, survived in zip(mutants, fates, strict=True) if survived]
    print(f"\n{len(mutants) - len(survivors)} of {len(mutants)} killed; survivors:")
    for survivor in survivors:
        print(survivor)
    if not survivors:
        print("none")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
