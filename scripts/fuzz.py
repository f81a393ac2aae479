#!/usr/bin/env python3
"""Fuzz a reader of foreign bytes, guided by coverage: pip install atheris (Linux, not a requirement
of the project).

    fuzz.py tables                     ten minutes
    fuzz.py pgn --minutes 60 --corpus DIR    inputs that reach something new are kept there
    fuzz.py json --file crash-0a1b     one input again, such as a crash that is left in this folder

Each reader may raise the errors that its function names. Anything else is a fault, and so is an
answer that takes longer than 20 seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import atheris

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def modules_with_kernels() -> list[str]:
    """The modules whose functions numba compiles: it cannot compile what atheris makes of them."""
    modules = []
    for path in (ROOT / "tbgen").rglob("*.py"):
        names = path.relative_to(ROOT).with_suffix("").parts
        is_of_room = names[1] in ("board", "compiled", "index", "retro")
        if is_of_room or "tbgen.compiled.jit" in path.read_text():
            modules.append(".".join(names))
    return modules


INSTRUMENTED = ["chess", "tbgen"]

with atheris.instrument_imports(include=INSTRUMENTED, exclude=modules_with_kernels()):
    import chess

    from tbgen.apps.games.read import read_games
    from tbgen.apps.match.info import Info
    from tbgen.apps.match.options import arguments_in, parse_arguments
    from tbgen.errors import TableError, TbgenError
    from tbgen.library.build import build_tables
    from tbgen.library.catalog import read_manifest
    from tbgen.reading import parse_json, read_as
    from tbgen.rules.notation import format_fen, parse_fen
    from tbgen.storage.files import FileRecord, Layer
    from tbgen.storage.reader import TableFile
    from tbgen.storage.schema import COLUMNS, SEAL_BYTES, Index, Seal, digest_of

NAME = "KvK"
SECONDS = 20
MOST_BYTES = 1 << 14


@dataclass
class Workplace:
    """What the readers of files share."""

    folder: Path
    tables: dict[str, bytes]
    """The content of a sound table's files by their names."""
    closing: ExitStack
    """Closes all at the end."""

    def write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path


def read_all(path: Path) -> None:
    """Read all that readers ask of a table."""
    with TableFile(path) as table:
        table.check()
        for name in (*COLUMNS[Layer.OUTCOMES], *COLUMNS[Layer.DISTANCES]):
            table.column(name)
        _ = table.tallies
        table.table()


def fuzz_tables(work: Workplace, data: bytes) -> None:
    """A file of a table with other bytes than were written: TableError, whatever they are.

    atheris sees what the check compares and writes the right digest into the seal now and then.
    """
    digest = sha256(data[SEAL_BYTES:]).hexdigest()
    has_right_digest = digest.encode() in data[:SEAL_BYTES]
    if has_right_digest:
        return
    for name, content in work.tables.items():
        work.write(name, content)
    for name, content in work.tables.items():
        path = work.write(name, data)
        try:
            read_all(work.folder / f"{NAME}.h5")
        except TableError:
            path.write_bytes(content)
        else:
            raise AssertionError(f"{name} was read although its bytes are others")


def fuzz_forged(work: Workplace, data: bytes) -> None:
    """The outcomes of a table with other bytes and right checksums: TableError, or no error."""
    name = f"{NAME}.h5"
    for other, content in work.tables.items():
        work.write(other, content)
    seal = Seal.from_bytes(work.tables[name][:SEAL_BYTES])
    start = seal.index - SEAL_BYTES
    body = data[:start]
    end = with_right_sums(body, data[start:])
    forged = replace(
        seal,
        length=SEAL_BYTES + len(body) + len(end),
        index=SEAL_BYTES + len(body),
        sha256=digest_of(body, end),
        sha256_of_index=digest_of(end),
    )
    with suppress(TableError):
        read_all(work.write(name, forged.to_bytes() + body + end))


def with_right_sums(body: bytes, end: bytes) -> bytes:
    """An index whose chunks have the check sums of the bytes that they name, if it can be read at
    all.
    """
    try:
        index = Index.from_bytes(end)
        for dataset in index.datasets.values():
            chunks = dataset.chunks.copy()
            for chunk in chunks[:64]:
                first = int(chunk["offset"]) - SEAL_BYTES
                chunk["crc"] = crc32(body[max(first, 0) : max(first, 0) + int(chunk["size"])])
            object.__setattr__(dataset, "chunks", chunks)
        return index.to_bytes()
    except Exception:  # whatever cannot be read stays as it is, and the reader has to say so
        return end


def fuzz_pgn(work: Workplace, data: bytes) -> None:
    """A file of games: TbgenError for the file, or in the place of each game that is wrong."""
    with suppress(TbgenError):
        for game in read_games(work.write("games.pgn", data)):
            str(game)


def fuzz_fen(_: Workplace, data: bytes) -> None:
    """A FEN: TbgenError, or a board whose FEN gives it again."""
    text = data.decode("utf-8", "replace")
    with suppress(TbgenError):
        board, accrued = parse_fen(text)
        again, accrued_again = parse_fen(format_fen(board, accrued))
        assert (again.fen(), accrued_again) == (board.fen(), accrued), text


def fuzz_engine(_: Workplace, data: bytes) -> None:
    """A line of an engine: facts, with what is garbled left out; no error at all."""
    for line in data.decode("utf-8", "replace").splitlines():
        str(Info.parse(line).evaluation())


def fuzz_toml(work: Workplace, data: bytes) -> None:
    """The settings of a match: TbgenError."""
    with suppress(TbgenError):
        parse_arguments(arguments_in(work.write("match.toml", data)))


def fuzz_json(work: Workplace, data: bytes) -> None:
    """A manifest, whose reader passes over what is wrong.

    And facts, which are refused by ValueError.
    """
    work.write("manifest.json", data)
    read_manifest(work.folder)
    with suppress(ValueError):
        read_as(dict[str, FileRecord], parse_json(data))


@dataclass(frozen=True)
class Target:
    """A reader, and sound inputs to begin with."""

    read: Callable[[Workplace, bytes], None]
    seeds: Callable[[Workplace], Iterable[bytes]]


def table_files(work: Workplace) -> Iterable[bytes]:
    return work.tables.values()


def bodies_of_tables(work: Workplace) -> Iterable[bytes]:
    return [work.tables[f"{NAME}.h5"][SEAL_BYTES:]]


def games(_: Workplace) -> Iterable[bytes]:
    examples = ROOT / "docs" / "examples"
    return [path.read_bytes()[:MOST_BYTES] for path in sorted(examples.glob("*.pgn"))]


def fens(_: Workplace) -> Iterable[bytes]:
    return [
        chess.STARTING_FEN.encode(),
        b"8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0",
        b"4k3/8/8/8/3pP3/8/8/R3K2R b KQ e3 0 1 -G17.5",
    ]


def engine_lines(_: Workplace) -> Iterable[bytes]:
    return [
        b"info depth 12 seldepth 18 multipv 2 score cp 31 lowerbound nodes 4711 pv e2e4",
        b"info depth 5 score mate +3 string score cp 7",
    ]


def settings(_: Workplace) -> Iterable[bytes]:
    text = '[[engine]]\ncmd = "a"\nargs = ["b", "c"]\noption.Hash = 16\n[each]\ntc = "40/60+0.1"\n'
    tomllib.loads(text)
    return [
        text.encode(),
        b'games = 2\nrepeat = true\nopenings = {file = "a.pgn", order = "random"}\n',
    ]


def manifests(work: Workplace) -> Iterable[bytes]:
    return [(work.folder / "manifest.json").read_bytes(), b'{"KvK": {"bytes": 1, "sha256": "a"}}']


TARGETS = {
    "tables": Target(fuzz_tables, table_files),
    "forged": Target(fuzz_forged, bodies_of_tables),
    "pgn": Target(fuzz_pgn, games),
    "fen": Target(fuzz_fen, fens),
    "engine": Target(fuzz_engine, engine_lines),
    "toml": Target(fuzz_toml, settings),
    "json": Target(fuzz_json, manifests),
}


def options_of(work: Workplace, target: Target, seconds: float, corpus: Path) -> list[str]:
    """The options of libFuzzer, which are those of its command line."""
    seeds = work.folder / "seeds"
    seeds.mkdir()
    for number, seed in enumerate(target.seeds(work)):
        (seeds / f"seed-{number}").write_bytes(seed)
    longest = max(path.stat().st_size for path in seeds.iterdir())
    corpus.mkdir(parents=True, exist_ok=True)
    return [
        f"-max_total_time={seconds:.0f}",
        f"-timeout={SECONDS}",
        f"-max_len={max(longest, MOST_BYTES)}",
        "-rss_limit_mb=3000",
        "-print_final_stats=1",
        str(corpus),
        str(seeds),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument(
        "--corpus", type=Path, metavar="DIR", help="begin with these and keep new ones"
    )
    parser.add_argument("--file", type=Path, metavar="INPUT", help="read this input alone")
    wanted = parser.parse_args()
    target = TARGETS[wanted.target]
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        build_tables([NAME], folder)
        files = {path.name: path.read_bytes() for path in folder.glob("*.h5")}
        work = Workplace(folder, files, closing)

        def read(data: bytes) -> None:
            target.read(work, data)

        if wanted.file is not None:
            read(wanted.file.read_bytes())
            return
        corpus = wanted.corpus or work.folder / "corpus"
        options = options_of(work, target, 60 * wanted.minutes, corpus)
        atheris.Setup([sys.argv[0], *options], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
