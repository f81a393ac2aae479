#!/usr/bin/env python3
"""Write tbgen/apps/site/openapi.json: shapes from docs/json.md, routes from docs/serving.md, options of `probe`.

openapi.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
QUERY = ("fen", "accrued", "moves")
SCORING = ("scoring", "cutoff", "komi")
LINES = {"application/x-ndjson": "text", "application/json": "list of Position"}
HTML, PGN = "text/html", "application/x-chess-pgn"
ERRORS = {
    400: "The question makes no sense.",
    404: "There is no such table.",
    405: "Another method.",
    413: "The body is too large, or has too much in it.",
    414: "The query is too long.",
    415: "The body is of another media type.",
    500: "The server failed.",
    503: "Too many requests wait, or the answer takes too long; Retry-After says when to ask again.",
}
# method and path: parameters, answers by media type, errors beside 405, 414, 500 and 503, bodies by media type
OPERATIONS: dict[str, tuple[tuple[str, ...], dict[str, str], tuple[int, ...], dict[str, str]]] = {
    "GET /r-mobility": (
        (*QUERY, *SCORING, "fifty", "brief", "strip"),
        {"": "Position"},
        (400, 404),
        {},
    ),
    "POST /r-mobility": (
        (*SCORING, "brief", "strip"),
        LINES,
        (400, 413, 415),
        {"application/json": "list of text", "application/x-ndjson": "text", "text/plain": "text"},
    ),
    "GET /r-mobility/line": (
        (*QUERY, *SCORING, "fifty"),
        {"": "Position", PGN: "text"},
        (400, 404),
        {},
    ),
    "GET /r-mobility/solved": ((*QUERY, *SCORING), {"": "Solved position"}, (400,), {}),
    "GET /r-mobility/map": ((*QUERY, "man"), {"": "Map"}, (400, 404), {}),
    "GET /r-mobility/picture.svg": ((*QUERY, "man"), {"image/svg+xml": "text"}, (400, 404), {}),
    "GET /standard": (("fen",), {"": "Ordinary position"}, (400,), {}),
    "GET /standard/mainline": (("fen",), {"": "Mainline"}, (400, 404), {}),
    "POST /adjudicate": (
        (),
        {"": "Decision"},
        (400, 413, 415),
        {PGN: "text", "text/plain": "text"},
    ),
    "GET /tables": ((), {"": "Catalog"}, (), {}),
    "GET /tables/tables.json": ((), {"": "Catalog"}, (), {}),
    "GET /tables/{name}.json": (("name",), {"": "Table"}, (404,), {}),
    "GET /tables/{name}.h5": (("name",), {"application/x-hdf5": "text"}, (404,), {}),
    "GET /health": ((), {"": "Server"}, (), {}),
    "GET /openapi.json": ((), {"": "object"}, (), {}),
    "GET /explorer/plain": (QUERY, {HTML: "text"}, (), {}),
}


def rows_of(text: str) -> Iterator[list[str]]:
    """The cells of the rows of tables."""
    for line in text.splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def schemas() -> dict[str, dict[str, Any]]:
    """The shape of each section of docs/json.md, by its name."""
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    found = {}
    for section in page.split("\n## ")[1:]:
        title = section.partition("\n")[0].partition(":")[0]
        properties, required = {}, []
        for keys, types in re.findall(r"^\* (`.+?) \((.+?)\): ", section, re.MULTILINE):
            named = re.findall(r"`(\w+)`(\??)", keys)
            kinds = types.split(", ")
            for (key, optional), kind in zip(
                named, kinds * len(named) if len(kinds) == 1 else kinds, strict=False
            ):
                properties[key] = schema_of(kind)
                required += [] if optional else [key]
        scores = {"type": "object", "additionalProperties": schema_of("Score")}
        found[title] = {
            "type": "object",
            "properties": {**properties, "scores": scores},
            "required": required,
        }
    return found


def schema_of(kind: str) -> dict[str, Any]:
    if kind.endswith(" or null"):
        return {"anyOf": [schema_of(kind.removesuffix(" or null")), PLAIN["null"]]}
    if kind.startswith("list of "):
        return {"type": "array", "items": schema_of(kind.removeprefix("list of "))}
    return PLAIN.get(kind) or {"$ref": f"#/components/schemas/{kind.replace(' ', '')}"}


def description() -> dict[str, Any]:
    """The whole description."""
    serving = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    meanings = {keys: meaning for keys, meaning, *_ in rows_of(serving)}
    summaries = {
        route: meaning
        for keys, meaning in meanings.items()
        for route in re.findall(r"`(\w+ /[^`?]*)", keys)
    }
    paths: dict[str, dict[str, Any]] = {}
    for operation, (parameters, answers, errors, bodies) in OPERATIONS.items():
        method, path = operation.split()
        summary = summaries[operation]
        responses = {"200": {"description": summary, "content": content(answers)}}
        for status in sorted({*errors, 405, 414, 500, 503}):
            responses[str(status)] = {
                "description": ERRORS[status],
                "content": content({"": "Error"}),
            }
        told = [
            {
                "name": name,
                "in": "path" if name == "name" else "query",
                "description": next(each for keys, each in meanings.items() if f"`{name}" in keys),
                "required": name in ("fen", "name", "man")
                and (path, name) != ("/r-mobility/picture.svg", "man"),
                "schema": parameter(name),
            }
            for name in parameters
        ]
        paths.setdefault(path, {})[method.lower()] = {
            "summary": summary,
            "parameters": told,
            "responses": responses,
            **({"requestBody": {"required": True, "content": content(bodies)}} if bodies else {}),
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "tbgen: endgame tables of r-mobility chess", "version": "VERSION"},
        "paths": paths,
        "components": {
            "schemas": {name.replace(" ", ""): schema for name, schema in schemas().items()}
        },
    }


def parameter(name: str) -> dict[str, Any]:
    """The schema of a parameter: that of the option of `tbgen probe` with its name, if there is one."""
    option = next((each for each in command.params if f"--{name}" in each.opts), None)
    if name == "strip" or (isinstance(option, click.Option) and option.is_flag):
        return {"type": "string", "enum": ["0", "1"]}
    if option is not None and isinstance(option.type, click.Choice):
        return {"type": "string", "enum": list(option.type.choices)}
    return PLAIN["text"]


def content(kinds: dict[str, str]) -> dict[str, Any]:
    return {
        kind or "application/json": {"schema": schema_of(shape)} for kind, shape in kinds.items()
    }


def written() -> str:
    """The file: a line for each path and each schema."""
    text = description()
    for name, part in (("paths", text["paths"]), ("schemas", text["components"]["schemas"])):
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in part.items())
        (text if name == "paths" else text["components"])[name] = f"@{name}@"
        text.setdefault("@", {})[name] = lines
    lines = text.pop("@")
    whole = json.dumps(text, indent=1)
    for name, part in lines.items():
        whole = whole.replace(f'"@{name}@"', f"{{\n{part}\n}}")
    return whole + "\n"


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
