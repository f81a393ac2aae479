#!/usr/bin/env python3
"""Write tbgen/apps/site/openapi.json, the description of the server for programs.

Shapes come from docs/json.md, the meaning of routes and parameters from docs/serving.md, and the
values of parameters from the options of `tbgen probe`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tbgen.cli.probe import command

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "tbgen" / "apps" / "site" / "openapi.json"

PLAIN: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "score": {"type": "string", "pattern": r"^-?G(0|[1-9][0-9]*)\.[05]$"},
    "count": {"type": "integer", "minimum": 0},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "null": {"type": "null"},
    "object": {"type": "object"},
    "list": {"type": "array"},
    "points": {
        "type": "object",
        "properties": {
            side: {"type": "number", "minimum": 0, "maximum": 1} for side in ("white", "black")
        },
        "required": ["white", "black"],
    },
}
JSON = "application/json"
LINES = "application/x-ndjson"
PGN = "application/x-chess-pgn"
TABLE = "application/x-hdf5"
TEXT = "text/plain"

POSITION = ("fen", "accrued", "moves")
SCORING = ("scoring", "cutoff", "komi")

ERRORS = {
    400: "The question makes no sense.",
    404: "There is no such table.",
    405: "Another method.",
    413: "The body is too large, or has too much in it.",
    414: "The query is too long.",
    415: "The body is of another media type.",
    500: "The server failed.",
    503: (
        "Too many requests wait, or the answer takes too long; Retry-After says when to ask again."
    ),
}
ERRORS_OF_ALL = (405, 414, 500, 503)


@dataclass(frozen=True)
class Operation:
    """A route with its method, as the description has it."""

    method: str
    path: str
    answers: Mapping[str, str]
    """Media type -> the name of the shape."""
    parameters: tuple[str, ...] = ()
    errors: tuple[int, ...] = ()
    """Statuses beside those of all operations."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """Media type -> the name of the shape."""


OPERATIONS = (
    Operation(
        "get",
        "/r-mobility",
        {JSON: "Position"},
        (*POSITION, *SCORING, "fifty", "brief", "strip"),
        (400, 404),
    ),
    Operation(
        "post",
        "/r-mobility",
        {LINES: "text", JSON: "list of Position"},
        (*SCORING, "brief", "strip"),
        (400, 413, 415),
        bodies={JSON: "list of text", LINES: "text", TEXT: "text"},
    ),
    Operation(
        "get",
        "/r-mobility/line",
        {JSON: "Position", PGN: "text"},
        (*POSITION, *SCORING, "fifty"),
        (400, 404),
    ),
    Operation(
        "get",
        "/r-mobility/solved",
        {JSON: "Solved position"},
        (*POSITION, *SCORING, "line"),
        (400,),
    ),
    Operation("get", "/r-mobility/map", {JSON: "Map"}, (*POSITION, "man"), (400, 404)),
    Operation(
        "post",
        "/adjudicate",
        {JSON: "Decision"},
        errors=(400, 413, 415),
        bodies={PGN: "text", TEXT: "text"},
    ),
    Operation("get", "/tables", {JSON: "Catalog"}),
    Operation("get", "/tables/tables.json", {JSON: "Catalog"}),
    Operation("get", "/tables/{name}.json", {JSON: "Table"}, ("name",), (404,)),
    Operation("get", "/tables/{name}.h5", {TABLE: "text"}, ("name",), (404,)),
    Operation("get", "/health", {JSON: "Server"}),
    Operation("get", "/metrics", {TEXT: "text"}),
    Operation("get", "/openapi.json", {JSON: "object"}),
)


# Shapes.


def schemas() -> dict[str, dict[str, Any]]:
    """The shape of each section of docs/json.md, by its name."""
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    shapes = dict[str, dict[str, Any]]()
    for section in page.split("\n## ")[1:]:
        title = section.partition("\n")[0].partition(":")[0]
        properties = dict[str, Any]()
        required = list[str]()
        for key, kind, is_required in keys_of(section):
            properties[key] = schema_of(kind)
            if is_required:
                required.append(key)
        properties["scores"] = {
            "type": "object",
            "additionalProperties": schema_of("Score"),
        }
        shapes[title] = {"type": "object", "properties": properties, "required": required}
    return shapes


def keys_of(section: str) -> Iterator[tuple[str, str, bool]]:
    """The keys of a section, each with its kind and whether it is always there.

    >>> list(keys_of("\\n* `men`, `name`? (count, text): of the table"))
    [('men', 'count', True), ('name', 'text', False)]
    """
    for names, types in re.findall(r"^\* (`.+?) \((.+?)\): ", section, re.MULTILINE):
        keys = re.findall(r"`(\w+)`(\??)", names)
        kinds = types.split(", ")
        if len(kinds) == 1:
            kinds *= len(keys)
        for (key, mark), kind in zip(keys, kinds, strict=False):
            yield key, kind, mark == ""


def schema_of(kind: str) -> dict[str, Any]:
    """The schema of a kind, such as `list of text` or `Score or null`."""
    if kind.endswith(" or null"):
        return {"anyOf": [schema_of(kind.removesuffix(" or null")), PLAIN["null"]]}
    if kind.startswith("list of "):
        return {"type": "array", "items": schema_of(kind.removeprefix("list of "))}
    if kind in PLAIN:
        return PLAIN[kind]
    return {"$ref": f"#/components/schemas/{kind.replace(' ', '')}"}


def content(kinds: Mapping[str, str]) -> dict[str, Any]:
    """The content of an answer or a body: media type -> schema."""
    return {kind: {"schema": schema_of(shape)} for kind, shape in kinds.items()}


# Routes.


def meanings() -> dict[str, str]:
    """What docs/serving.md says of routes and parameters: the first cell of a row -> the second."""
    page = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    rows = dict[str, str]()
    for line in page.splitlines():
        if line.startswith("| `"):
            cells = line.strip("|").split(" | ")
            rows[cells[0].strip()] = cells[1].strip()
    return rows


def meaning_of(words: str, rows: Mapping[str, str]) -> str:
    """The meaning of the first row that begins a quoted text with these words."""
    for cell, meaning in rows.items():
        if f"`{words}" in cell:
            return meaning
    raise KeyError(words)


def summary_of(operation: Operation, rows: Mapping[str, str]) -> str:
    """The meaning of a route."""
    route = f"{operation.method.upper()} {operation.path}"
    for cell, meaning in rows.items():
        if route in re.findall(r"`(\w+ /[^`?]*)", cell):
            return meaning
    raise KeyError(route)


def parameter(name: str, operation: Operation, rows: Mapping[str, str]) -> dict[str, Any]:
    """The description of a parameter of an operation."""
    is_required = name in ("fen", "name", "man")
    return {
        "name": name,
        "in": "path" if name == "name" else "query",
        "description": meaning_of(name, rows),
        "required": is_required,
        "schema": values_of(name),
    }


def values_of(name: str) -> dict[str, Any]:
    """The schema of a parameter: that of the option of `tbgen probe` with its name, if any."""
    if name == "strip":
        return {"type": "string", "enum": ["0", "1"]}
    for option in command.params:
        if not isinstance(option, click.Option) or f"--{name}" not in option.opts:
            continue
        if option.is_flag:
            return {"type": "string", "enum": ["0", "1"]}
        if isinstance(option.type, click.Choice):
            return {"type": "string", "enum": list(option.type.choices)}
    return PLAIN["text"]


def responses(operation: Operation, summary: str) -> dict[str, Any]:
    """The answers to an operation by their status."""
    answers = dict[str, Any]()
    answers["200"] = {"description": summary, "content": content(operation.answers)}
    for status in sorted({*operation.errors, *ERRORS_OF_ALL}):
        answers[str(status)] = {"description": ERRORS[status], "content": content({JSON: "Error"})}
    return answers


def paths() -> dict[str, dict[str, Any]]:
    """All operations by path and method."""
    rows = meanings()
    described = dict[str, dict[str, Any]]()
    for operation in OPERATIONS:
        summary = summary_of(operation, rows)
        facts: dict[str, Any] = {
            "summary": summary,
            "parameters": [parameter(name, operation, rows) for name in operation.parameters],
            "responses": responses(operation, summary),
        }
        if operation.bodies:
            facts["requestBody"] = {"required": True, "content": content(operation.bodies)}
        described.setdefault(operation.path, {})[operation.method] = facts
    return described


def written() -> str:
    """The file: a line for each path and each schema."""
    shapes = {name.replace(" ", ""): schema for name, schema in schemas().items()}
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "tbgen: endgame tables of r-mobility chess", "version": "VERSION"},
        "paths": "@paths@",
        "components": {"schemas": "@schemas@"},
    }
    text = json.dumps(whole, indent=1)
    text = text.replace('"@paths@"', in_lines(paths()))
    text = text.replace('"@schemas@"', in_lines(shapes))
    return text + "\n"


def in_lines(parts: Mapping[str, Any]) -> str:
    """An object in JSON with a line for each key."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in parts.items())
    return f"{{\n{lines}\n}}"


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
