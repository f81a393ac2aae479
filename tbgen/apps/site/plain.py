"""Pages of the server for a broken link, and for a name under which it does not answer."""

from __future__ import annotations

from tbgen.apps.site.templates import template_of


def missing_page() -> str:
    """The page for an address that leads nowhere, with the way home."""
    return template_of("missing.html").render()


def unknown_host_page(host: str, name: str | None) -> str:
    """The page for a name under which the server does not answer.

    `name` is the host without its port, if `--name` accepts it.
    """
    return template_of("unknown-host.html").render(host=host, name=name)
