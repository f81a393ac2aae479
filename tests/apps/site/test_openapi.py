"""The description of the service, held against what it answers."""

from __future__ import annotations

import functools
from typing import Any

import jsonschema
import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from tests.positions import AFTER_KE5
from tests.project import ROOT

PATHS = {
    "/r-mobility": f"/r-mobility?fen={AFTER_KE5}&strip=1&fifty=reset",
    "/r-mobility/line": f"/r-mobility/line?fen={AFTER_KE5}&fifty=none",
    "/tables": "/tables",
    "/tables/{name}.json": "/tables/KBvK.json",
    "/health": "/health",
    "/openapi.json": "/openapi.json",
}
GAME = (
    '[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n'
    '[SetUp "1"]\n[FEN "8/8/8/4KBk1/8/8/8/8 b - - 0 1"]\n\n'
    "Kh4 1/2-1/2\n"
)


@pytest.fixture(scope="session")
def description(client: TestClient) -> dict[str, Any]:
    return client.get("/openapi.json").json()


def followed(description: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part of the description, or the one that it refers to."""
    steps = part.get("$ref", "").split("/")[1:]
    return functools.reduce(dict.__getitem__, steps, description) if steps else part


def check(
    description: dict[str, Any], answer: object, operation: dict[str, Any], status: int
) -> None:
    """Hold an answer to what the description says of that status."""
    response = followed(description, operation["responses"][str(status)])
    schema = response["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator({**schema, "components": description["components"]}).validate(
        answer
    )


@pytest.mark.parametrize("path", list(PATHS))
def test_answers_are_as_described(
    client: TestClient, description: dict[str, Any], path: str
) -> None:
    check(description, client.get(PATHS[path]).json(), description["paths"][path]["get"], 200)


def test_decided_games_and_many_positions_are_as_described(
    client: TestClient, description: dict[str, Any]
) -> None:
    found = client.post(
        "/adjudicate", content=GAME + "\n1. e9 *\n", headers={"Content-Type": "text/plain"}
    ).json()
    check(description, found, description["paths"]["/adjudicate"]["post"], 200)
    rows = client.post("/r-mobility", json=[AFTER_KE5, "x", "4k2r/8/8/8/8/8/8/R3K3 b"]).json()
    check(description, rows, description["paths"]["/r-mobility"]["post"], 200)
    assert [row.get("error") for row in rows] == [None, "FenError", "MissingTableError"]
    assert [
        (game["final"], game["tags"]["RMobilityResult"], game["dtg"]) for game in found["games"]
    ] == [("G1.5", "G1.5", 1)]
    assert [(skipped["number"], skipped["ply"]) for skipped in found["skipped"]] == [(2, 1)]


@pytest.mark.parametrize(
    ("method", "path", "asked", "status"),
    [
        ("get", "/r-mobility", "/r-mobility?fen=x", 400),
        ("get", "/r-mobility", "/r-mobility?fen=4k2r/8/8/8/8/8/8/R3K3_b", 404),
        ("get", "/r-mobility/line", "/r-mobility/line", 400),
        ("get", "/tables/{name}.h5", "/tables/KRvKR.h5", 404),
        ("post", "/adjudicate", "/adjudicate", 415),
        ("post", "/r-mobility", "/r-mobility", 415),
    ],
)
def test_errors_are_as_described(
    client: TestClient, description: dict[str, Any], method: str, path: str, asked: str, status: int
) -> None:
    found = client.request(method, asked, headers={"Content-Type": "image/png"})
    assert found.status_code == status
    check(description, found.json(), description["paths"][path][method], status)


def test_every_route_is_described_and_every_description_has_a_route(
    client: TestClient, description: dict[str, Any]
) -> None:
    app: Any = client.app
    routes = set[tuple[str, str]]()
    for route in app.routes:
        if isinstance(route, Route):
            methods = (route.methods or set()) - {"HEAD"}
            routes |= {(route.path, method.lower()) for method in methods}
    described = set[tuple[str, str]]()
    for path, methods in description["paths"].items():
        described |= {(path, method) for method in methods}
    pages = {("/explorer/{name:path}", "get"), ("/explorer", "get"), ("/", "get")}
    assert routes - described == pages
    assert described <= routes


def test_every_route_for_programs_has_a_curl_on_its_page(description: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    shown = set[str]()
    for line in page.splitlines():
        if line.startswith("$ curl"):
            for word in line.split():
                address = word.strip("'").removeprefix("http://127.0.0.1:8000")
                shown.add(address.partition("?")[0])
    for path in description["paths"]:
        if "explorer" not in path:
            assert path.replace("{name}", "KBvK") in shown


def test_every_parameter_is_known_and_every_known_one_described(
    client: TestClient, description: dict[str, Any]
) -> None:
    for path in ("/r-mobility", "/r-mobility/line"):
        parameters = description["paths"][path]["get"]["parameters"]
        told = {followed(description, each)["name"] for each in parameters}
        message = client.get(path, params={"unknown": ""})
        names = message.json()["message"]
        assert set(names.partition("there are ")[2].partition('"')[0].split(", ")) == told


def test_the_description_is_sound(description: dict[str, Any]) -> None:
    for schema in description["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert description["openapi"] == "3.1.0"
