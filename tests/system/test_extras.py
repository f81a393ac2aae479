"""The command that adds an extra names this Python, and what tbgen was installed from."""

from __future__ import annotations

import json
import sys
from importlib import metadata

import pytest

from tbgen.system.extras import how_to_install


class Installed:
    """Stands in for an installed distribution."""

    def __init__(self, url: str | None) -> None:
        self.url = url

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        if self.url is None:
            return None
        return json.dumps({"url": self.url})


@pytest.mark.parametrize(
    ("url", "source"),
    [
        (None, "'tbgen[swiss]'"),
        ("file:///home/me/my%20tbgen", "'/home/me/my tbgen[swiss]'"),
        ("file:///tmp/tbgen-0.1.0-py3-none-any.whl", "'/tmp/tbgen-0.1.0-py3-none-any.whl[swiss]'"),
        ("https://host/tbgen.tar.gz", "'https://host/tbgen.tar.gz[swiss]'"),
    ],
)
def test_an_extra_comes_from_where_tbgen_came(
    url: str | None, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(url))
    monkeypatch.setattr(sys, "executable", "/home/me/a venv/bin/python")
    assert how_to_install("swiss") == f"'/home/me/a venv/bin/python' -m pip install {source}"


def test_a_checkout_that_is_not_installed_names_the_project(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    assert how_to_install("swiss").endswith(" -m pip install 'tbgen[swiss]'")
