"""Options that cannot matter are refused, and never left aside in silence."""

from __future__ import annotations

from collections.abc import Mapping

import click
from click.core import ParameterSource

from tbgen.errors import UsageError


def refuse_together(options: Mapping[str, object]) -> None:
    """Refuse options that cannot matter together, each with its value; no more than one of them may be given."""
    names = _given(options)
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} cannot be given together")


def refuse_beside(given: str, options: Mapping[str, object]) -> None:
    """Refuse options that cannot matter together with one that is given."""
    for name in _given(options):
        raise UsageError(f"{given} and {name} cannot be given together")


def refuse_without(needed: str, options: Mapping[str, object]) -> None:
    """Refuse options that mean nothing, because what they need is not given."""
    for name in _given(options):
        raise UsageError(f"{name} means nothing without {needed}")


def typed_folders() -> bool:
    """Whether --data is given to this command; $TBGEN_DATA is there for all of them."""
    return click.get_current_context().get_parameter_source("folders") is ParameterSource.COMMANDLINE


def _given(options: Mapping[str, object]) -> list[str]:
    return [name for name, value in options.items() if value is not None and value is not False and value != ()]
