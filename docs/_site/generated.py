"""Pages that are made from the program: its public names, and its commands with their options."""

from __future__ import annotations

import csv
import importlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import tbgen
import tbgen.errors
from tbgen.cli import GROUPS
from tbgen.cli import tbgen as program

BUILT = Path(__file__).parents[2] / "records" / "built.csv"

OPENAPI = Path(tbgen.__file__).parent / "apps" / "server" / "openapi.json"
HIDDEN = "__new__, template"
FOREIGN = "object, BaseException, KeyError, Enum, IntEnum, StrEnum, str, int, list, tuple, Generic"
"""The ancestors whose members are not described again."""


class Generated(SphinxDirective):
    """A directive that stands for lines of reStructuredText."""

    def lines(self) -> Iterator[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        made = nodes.section()
        made.document = self.state.document
        self.state.nested_parse(
            StringList(list(self.lines()), "generated"), 0, made, match_titles=True
        )
        return made.children


class PublicNames(Generated):
    """The names that are given, with their docstrings: those of `tbgen`, or with their module."""

    required_arguments = 1
    final_argument_whitespace = True

    def lines(self) -> Iterator[str]:
        for name in self.arguments[0].split():
            path = name if "." in name else f"tbgen.{name}"
            yield from described(path, resolve(path))


class EveryError(Generated):
    """Every error, in the order of the alphabet."""

    def lines(self) -> Iterator[str]:
        for name, kind in sorted(vars(tbgen.errors).items()):
            if isinstance(kind, type) and issubclass(kind, tbgen.TbgenError):
                path = f"tbgen.{name}" if name in tbgen.__all__ else f"tbgen.errors.{name}"
                fields = ", ".join(f"``{field}``" for field in kind._fields) or "none of its own"
                yield from (
                    name,
                    "-" * len(name),
                    "",
                    f".. autoclass:: {path}",
                    "   :show-inheritance:",
                    "",
                )
                yield from (f"   Attributes: {fields}. Exit code: {kind.exit_code}.", "")


def resolve(path: str) -> Any:
    """The object of a dotted path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def described(path: str, thing: Any) -> Iterator[str]:
    """A heading and the description by autodoc, with the members of a class that concern users."""
    title = path.removeprefix("tbgen.").rpartition(".")[2]
    is_class = isinstance(thing, type)
    yield from (
        title,
        "-" * len(title),
        "",
        f".. auto{'class' if is_class else 'function'}:: {path}",
    )
    if is_class:
        yield from (
            "   :members:",
            f"   :inherited-members: {FOREIGN}",
            f"   :exclude-members: {HIDDEN}",
        )
        yield "   :member-order: bysource"
    yield ""


class OpenApi(Generated):
    """Every route of the server: its parameters, its answers, and a call of it."""

    def lines(self) -> Iterator[str]:
        for path, methods in described_api()["paths"].items():
            for method, call in methods.items():
                title = f"{method.upper()} {path}"
                yield from (title, "-" * len(title), "", sentence(call["summary"]), "")
                yield from (".. code-block:: sh", "", f"   {self._call(path, method, call)}", "")
                for each in map(followed, call.get("parameters", [])):
                    name = f"``{each['name']}``" + ", required" * each.get("required", False)
                    yield from (name, f"   {sentence(each['description'])}", "")
                yield from ("Answers", "")
                for status, given in call["responses"].items():
                    answer = followed(given)
                    schemas = re.findall(r"schemas/(\w+)", json.dumps(answer.get("content", {})))
                    kinds = " or ".join(dict.fromkeys(schemas))
                    yield f"* {status}: {sentence(answer['description'])}" + f" ({kinds})" * bool(
                        kinds
                    )
                yield ""

    @staticmethod
    def _call(path: str, method: str, call: dict[str, Any]) -> str:
        asked = list[str]()
        for each in map(followed, call.get("parameters", [])):
            if each["in"] == "path":
                path = path.replace(f"{{{each['name']}}}", each["example"])
            elif each.get("required"):
                asked.append(f"{each['name']}={each['example']}")
        address = f"http://127.0.0.1:8000{path}" + f"?{'&'.join(asked)}" * bool(asked)
        body = "-H 'Content-Type: text/plain' --data-binary @FILE " if method == "post" else ""
        return f"curl {body}'{address}'"


class Schemas(Generated):
    """Every kind of object in JSON with its keys."""

    def lines(self) -> Iterator[str]:
        for schema in described_api()["components"]["schemas"].values():
            title = schema["title"]
            yield from (title, "^" * len(title), "", in_rst(schema.get("description", "")), "")
            required = schema.get("required", [])
            keys = dict[tuple[str, str], list[str]]()
            for name, value in schema.get("properties", {}).items():
                mark = "" if name in required else "?"
                said = kind_of(value), value.get("description", "a legend of all scores in it")
                keys.setdefault(said, []).append(f"``{name}``{mark}")
            for (kind, text), names in keys.items():
                yield f"* {', '.join(names)} ({kind}): {in_rst(text)}"
            yield ""


@cache
def described_api() -> dict[str, Any]:
    """The description of the server and of all JSON."""
    described: dict[str, Any] = json.loads(OPENAPI.read_text(encoding="utf-8"))
    return described


def followed(part: dict[str, Any]) -> dict[str, Any]:
    """A part of the description, or the one that it refers to."""
    for step in part.get("$ref", "").split("/")[1:]:
        part = part[step] if step in part else described_api()[step]
    return part


def kind_of(schema: dict[str, Any]) -> str:
    """The type of a value in words."""
    if "$ref" in schema:
        return str(followed(schema)["title"])
    if "anyOf" in schema:
        return " or ".join(map(kind_of, schema["anyOf"]))
    if schema["type"] == "array":
        return f"list of {kind_of(schema['items'])}" if "items" in schema else "list"
    if schema["type"] == "integer" and "minimum" in schema:
        return "count"
    return {"string": "text", "boolean": "flag"}.get(schema["type"], str(schema["type"]))


def in_rst(text: str) -> str:
    """A text with code as reStructuredText writes it."""
    return re.sub(r"`([^`]+)`", r"``\1``", text)


def sentence(text: str) -> str:
    """A text as a sentence in reStructuredText."""
    plain = in_rst(text)
    return f"{plain[:1].upper()}{plain[1:].rstrip('.')}."


class Proofs(Generated):
    """A row for each five-man table: how much of it was checked."""

    def lines(self) -> Iterator[str]:
        yield from (
            ".. csv-table::",
            "   :header: table, positions checked, pairs checked, mates as published",
            "",
        )
        with BUILT.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                facts = [
                    row[name]
                    for name in ("material", "checked_positions", "checked_pairs", "as_published")
                ]
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


def to_public_name(
    app: Sphinx, env: Any, node: pending_xref, content: nodes.Element
) -> nodes.Node | None:
    """Where a type of a signature is described: under its public name, or nowhere without one."""
    target = node["reftarget"]
    name = target.rpartition(".")[2]
    if node.get("refdomain") != "py":
        return None
    if name in tbgen.__all__ and target != f"tbgen.{name}":
        domain = env.get_domain("py")
        return domain.resolve_xref(
            env, node["refdoc"], app.builder, "obj", f"tbgen.{name}", node, content
        )
    return None if target.startswith("chess.") else content


def add_contents(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Make a hidden table of contents of a page of links, as GitHub shows it.

    It has the links below each heading.
    """
    if docname not in ("index", "design/README"):
        return
    parts = re.split(r"^## ", source[0], flags=re.MULTILINE)
    for part in parts[1:] or parts:
        pages = re.findall(r"\]\(([\w/-]+)\.(?:md|rst)\)", part)
        caption = part.partition("\n")[0].lstrip("# ")
        source[0] += "\n".join(
            ("", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", "")
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("public-names", PublicNames)
    app.add_directive("commands", Commands)
    app.add_directive("proofs", Proofs)
    app.add_directive("every-error", EveryError)
    app.add_directive("openapi", OpenApi)
    app.add_directive("schemas", Schemas)
    app.connect("missing-reference", to_public_name)
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True}
