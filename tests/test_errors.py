from __future__ import annotations

import pickle
import re

import pytest

from tbgen import errors
from tbgen.errors import TbgenError, build_command
from tests.project import ROOT

EXAMPLES = [
    errors.UsageError("no"),
    errors.ScoreFormatError("H3"),
    errors.FenError("x", "it is short"),
    errors.IllegalPositionError("x", "White has no king"),
    errors.AccruedError("G0.0", "the game would have ended"),
    errors.MoveError("e5", 3),
    errors.MaterialError("KX", "no man"),
    errors.TooManyMenError("KRPvKRP", 6, 5),
    errors.CastlingError("x"),
    errors.InputFileError("a.pgn", "it is a binary file, not text"),
    errors.PgnError("a.pgn", "illegal move 'e5'", number=2, ply=7),
    errors.RepresentationError("G99.5", "a byte"),
    errors.MissingTableError("KBvK", "data"),
    errors.MissingDistancesError("KBvK", "data"),
    errors.DamagedTableError("KBvK.h5", "checksum"),
    errors.OutdatedTableError("KBvK.h5", "format 1", "format 2"),
    errors.VerificationError("KBvK", "8/8/8/8/8/8/1k6/K2B4 w - - 0 1: value"),
    errors.BuildError("KBvK", "no room"),
    errors.NotEnoughMemoryError("KBvK", 2**31, 2**30),
    errors.NotEnoughMemoryError("KBvK", 2**31, 2**30, 12),
    errors.MatchError("no"),
    errors.EngineStartError("no such file", "stockfish"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_is_one_line_names_what_it_carries_and_survives_another_process(
    error: TbgenError,
) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert vars(again) == vars(error)
    assert len(str(error).splitlines()) == 1
    assert 0 < error.exit_code < 128
    assert repr(error).startswith(type(error).__name__ + "(")
    assert {repr(value) in repr(error) for value in error.args} == {True}


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((), {}),
        (("KX",), {}),
        (("KX", "no man", "more"), {}),
        (("KX",), {"text": "KX", "reason": ""}),
        (("KX", ""), {"a": 1}),
    ],
)
def test_an_error_takes_all_its_fields_and_nothing_else(
    values: tuple[str, ...], named: dict[str, object]
) -> None:
    with pytest.raises(TypeError, match="MaterialError takes text, reason, each once"):
        errors.MaterialError(*values, **named)  # type: ignore[arg-type]


def test_the_tree_is_drawn_in_full_with_the_exit_codes_of_the_classes() -> None:
    drawn = errors.__doc__ or ""
    classes = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, TbgenError)
    }
    assert set(re.findall(r"\w+Error\b", drawn)) == classes
    codes = re.findall(r"(\w+Error)[ \t]+(?:exit code )?(\d+)", drawn)
    assert {name: int(code) for name, code in codes} == {
        name: getattr(errors, name).exit_code for name, _ in codes
    }
    assert len(codes) > 5


@pytest.mark.parametrize(
    ("folder", "options"),
    [
        (None, ""),
        ("data", ""),
        ("tables", " --data tables"),
        ("my tables", " --data 'my tables'"),
        ("data, others", ""),
        ("data/whole-game", " --game whole-game"),
        ("tables/whole-game", " --data tables --game whole-game"),
        ("/whole-game", " --data / --game whole-game"),
        ("whole-game", " --data . --game whole-game"),
        ("my-whole-game", " --data my-whole-game"),
        ("data/M=WF", " --man M=WF"),
        ("tables/D=WD,M=WF/whole-game", " --data tables --man D=WD --man M=WF --game whole-game"),
        ("M=WF", " --data . --man M=WF"),
        ("one/M=WF, two/M=WF", " --man M=WF"),
    ],
)
def test_a_missing_table_is_to_be_built_where_it_was_looked_for(
    folder: str | None, options: str
) -> None:
    assert str(errors.MissingTableError("KBvK", folder)).endswith(
        f"; build it with: tbgen build KBvK{options}"
    )
    if folder is not None:
        assert str(errors.MissingDistancesError("KBvK", folder)).endswith(
            f": tbgen build KBvK{options}"
        )
        assert str(errors.MissingFolderError(folder)).endswith(f": tbgen build --men 3{options}")


def test_the_explorer_shows_the_command_of_errors() -> None:
    modules = (ROOT / "tbgen").rglob("explorer/*.js")
    text = "".join(path.read_text(encoding="utf-8") for path in modules)
    shown = re.findall(r"`(tbgen build \${[^`]*)`", text)
    written = {line.replace("${table}${PAIRS}", "KRPvKRP.pairs") for line in shown}
    written = {re.sub(r"\$\{(table|name)\}", "KRvKN", line) for line in written}
    assert written == {build_command(["KRPvKRP.pairs"]), build_command(["KRvKN"])}
