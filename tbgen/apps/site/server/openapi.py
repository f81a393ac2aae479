"""The description of the service for programs: OpenAPI 3.1, with the shapes that docs/json.md has for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tbgen import __version__
from tbgen.apps.play.within import Within
from tbgen.apps.site.server.limits import Limits
from tbgen.apps.site.server.replies import HTML, JSON, LINES, PGN, TABLE, TEXT
from tbgen.rules.points import Scheme
from tbgen.rules.stage import FiftyMoveSetting

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_YES_NO: Final[Schema] = {"type": "boolean"}
_SCORE: Final[Schema] = {"type": "string", "pattern": r"^-?G(0|[1-9][0-9]*)\.[05]$"}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_SETTING: Final[Schema] = {"enum": [setting.value for setting in FiftyMoveSetting]}
_CATEGORY: Final[Schema] = {"enum": ["win", "maybe-win", "draw", "maybe-loss", "loss", "unknown"]}


def _object(keys: Mapping[str, Schema], *, optional: Iterable[str] = (), more: bool = False) -> Schema:
    required = [name for name in keys if name not in set(optional)]
    return {"type": "object", "properties": dict(keys), "required": required, "additionalProperties": more}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_POINTS: Final = _object({"white": _SHARE, "black": _SHARE})
_MOVE: Final = {
    "uci": _TEXT, "san": _TEXT, "reset": _YES_NO, "own": _SCORE, "accrued": _SCORE, "outcome": _SCORE, "dtg": _COUNT,
}  # fmt: skip
_POSITION: Final = {
    "fen": _TEXT, "material": _TEXT, "own": _SCORE, "accrued": _SCORE, "outcome": _SCORE, "dtg": _COUNT,
    "points": _POINTS, "scoring": {"enum": [scheme.value for scheme in Scheme]},
}  # fmt: skip
_CLOCK: Final = {
    "fifty": _SETTING, "plies_left": _or_null(_COUNT), "within": {"enum": [each.value for each in Within]},
    "outcome_within": _or_null(_SCORE),
}  # fmt: skip
_STANDARD: Final = {
    "category": _CATEGORY, "dtz": {"type": "null"}, "precise_dtz": {"type": "null"},
    "dtm": _or_null({"type": "integer"}), "dtw": {"type": "null"}, "dtc": {"type": "null"},
    "checkmate": _YES_NO, "stalemate": _YES_NO, "variant_win": _YES_NO, "variant_loss": _YES_NO,
    "insufficient_material": _YES_NO,
}  # fmt: skip
_FILE: Final = {"file": _TEXT, "bytes": _COUNT, "sha256": _TEXT}
_GAME: Final = {
    "game": _COUNT, "event": _TEXT, "round": _TEXT, "white": _TEXT, "black": _TEXT, "result": _TEXT, "plies": _COUNT,
    "accrued": _SCORE, "reached_at_ply": _COUNT, "end": _or_null(_TEXT),
    "fen": _or_null(_TEXT), "final": _SCORE, "source": _TEXT,
    "material": _or_null(_TEXT), "missing": _or_null(_TEXT), "dtg": _or_null(_COUNT),
    "plies_left": _or_null(_COUNT), "within": _or_null(_TEXT),
    "points": _POINTS, "why": _TEXT, "tags": {"type": "object"},
}  # fmt: skip

SCHEMAS: Final[Mapping[str, Schema]] = {
    "Error": _object({"error": _TEXT, "message": _TEXT}, more=True),
    "Move": _object({**_MOVE, "points": _POINTS, "best": _YES_NO, "keeps": _YES_NO}),
    "Step": _object(_MOVE),
    "Worth": _object({"accrued": _SCORE, "outcome": _SCORE, "dtg": _COUNT}),
    "Position": _object(
        {**_POSITION, **_CLOCK, "moves": _list(_ref("Move")), "strip": _list(_ref("Worth"))},
        optional=(*_CLOCK, "moves", "strip"),
    ),
    "Line": _object({**_POSITION, **_CLOCK, "line": _list(_ref("Step"))}, optional=_CLOCK),
    "StandardPosition": _object(
        {
            **_STANDARD,
            "moves": _list(
                _object({"uci": _TEXT, "san": _TEXT, "zeroing": _YES_NO, "conversion": _YES_NO, **_STANDARD})
            ),
        }
    ),
    "Games": _object({"games": _list(_object(_GAME)), "skipped": _list(_ref("Error"))}),
    "Tables": _object(
        {
            "tables": _list(
                _object(
                    {
                        "material": _TEXT,
                        "men": _COUNT,
                        **_FILE,
                        "distances": _or_null(_object(_FILE)),
                        "facts": _TEXT,
                    }
                )
            )
        }
    ),
    "Table": _object({"material": _TEXT, "men": _COUNT, "positions": _COUNT, "sides": {"type": "object"}}, more=True),
    "Health": _object(
        {"status": {"const": "ok"}, "version": _TEXT, "tables": _COUNT, "limits": {"type": "object"}}
    ),
}  # fmt: skip


def _parameter(name: str, description: str, schema: Schema = _TEXT, *, required: bool = False) -> Schema:
    return {"name": name, "in": "query", "description": description, "required": required, "schema": schema}


_FLAG: Final[Schema] = {"enum": ["0", "1"]}
_FEN: Final = _parameter(
    "fen",
    "The position; underscores may stand for spaces, and what has accrued may be the seventh field.",
    required=True,
)
_ASKED: Final = [
    _FEN,
    _parameter("accrued", "What has accrued in it, such as G2.5 or -G2.5; without it what the FEN says, or its own."),
    _parameter("moves", "Moves to be played first, in SAN or as in UCI."),
]
_SCORING: Final = [
    _parameter("scoring", "How the outcome becomes points.", {"enum": [scheme.value for scheme in Scheme]}),
    _parameter("cutoff", "From where on scores make no difference under winner and komi."),
    _parameter("komi", "The score to beat under komi."),
]
_FIFTY: Final = _parameter("fifty", "The fifty-move rule that is to count from the clock of the FEN on.", _SETTING)
_EXTRAS: Final = [
    _parameter("brief", "1 leaves the moves out.", _FLAG),
    _parameter("strip", "1 adds what the position is worth with each score that can have accrued.", _FLAG),
]
_NAME: Final = {"name": "name", "in": "path", "required": True, "schema": _TEXT}

_ERRORS: Final[Mapping[int, str]] = {
    400: "The question makes no sense.",
    404: "There is no such table.",
    405: "Another method.",
    413: "The body is too large, or has too much in it.",
    414: "The query is too long.",
    415: "The body is of another media type.",
    500: "The server failed.",
    503: "Too many requests wait; Retry-After says when to ask again.",
}


def _answers(description: str, content: Mapping[str, Schema], *errors: int) -> Schema:
    found: Schema = {
        "200": {"description": description, "content": {kind: {"schema": s} for kind, s in content.items()}}
    }
    for status in (*errors, 405, 414, 500, 503):
        found[str(status)] = {"description": _ERRORS[status], "content": {JSON: {"schema": _ref("Error")}}}
    return dict(sorted(found.items()))


def _get(summary: str, content: Mapping[str, Schema], parameters: list[Schema], *errors: int) -> Schema:
    return {"summary": summary, "parameters": parameters, "responses": _answers(summary, content, *errors)}


def _post(summary: str, kinds: Iterable[str], content: Mapping[str, Schema], parameters: list[Schema]) -> Schema:
    body = {"required": True, "content": {kind: {"schema": _TEXT} for kind in kinds}}
    return {**_get(summary, content, parameters, 400, 413, 415), "requestBody": body}


def document(limits: Limits) -> Schema:
    """The whole description."""
    positions = f"Up to {limits.positions} positions, a line each, as FEN or JSON; a line of JSON each, in their order."
    bytes_of_table = {"type": "string", "format": "binary"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "tbgen: endgame tables of r-mobility chess", "version": __version__},
        "paths": {
            "/r-mobility": {
                "get": _get(
                    "A position and its moves.",
                    {JSON: _ref("Position")},
                    [*_ASKED, *_SCORING, _FIFTY, *_EXTRAS],
                    400,
                    404,
                ),
                "post": _post(positions, (LINES, JSON, TEXT), {LINES: _TEXT}, [*_SCORING, *_EXTRAS]),
            },
            "/r-mobility/line": {
                "get": _get(
                    "Best play by both sides; as PGN if Accept prefers it.",
                    {JSON: _ref("Line"), PGN: _TEXT},
                    [*_ASKED, *_SCORING, _FIFTY],
                    400,
                    404,
                )
            },
            "/standard": {
                "get": _get(
                    "A position of ordinary chess: category, plies to mate.",
                    {JSON: _ref("StandardPosition")},
                    [_FEN],
                    400,
                )
            },
            "/adjudicate": {
                "post": _post("What games in PGN are scored with, and why.", (PGN, TEXT), {JSON: _ref("Games")}, [])
            },
            "/tables": {"get": _get("The tables that are here.", {JSON: _ref("Tables")}, [])},
            "/tables/tables.json": {"get": _get("The same, where static files have it.", {JSON: _ref("Tables")}, [])},
            "/tables/{name}.json": {"get": _get("A table in figures.", {JSON: _ref("Table")}, [_NAME], 404)},
            "/tables/{name}.h5": {
                "get": _get(
                    "A table's outcomes, or distances if NAME is such as KBvK.dtg; Range is answered.",
                    {TABLE: bytes_of_table},
                    [_NAME],
                    404,
                )
            },
            "/health": {"get": _get("Whether the server is there, and its limits.", {JSON: _ref("Health")}, [])},
            "/openapi.json": {"get": _get("This description.", {JSON: {"type": "object"}}, [])},
            "/explorer/plain": {"get": _get("A page without a script.", {HTML: _TEXT}, _ASKED)},
        },
        "components": {"schemas": dict(SCHEMAS)},
    }
