#!/usr/bin/env python3
"""Kill builds of one table at seeded moments, and compare them with a build left in peace.

    kills.py KPPvKP --small DIR                30 kills, five in a row before a build ends
    kills.py KRBvKN --small DIR --in-a-row 10
    kills.py KRBvKN --small DIR --stop         one build, stopped 30 times, leaves as much as a kill

`--small` has the tables of up to four men. Those of five men that the table leads to are made up
(tests/library/made_up.py), so KPPvKP does not take the 74 tables that it needs. Every kill is a
line of JSON. Moments are CPU seconds of the build, which mean the same on a busy machine; only
Linux tells them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tbgen.index.layout import layout_of  # noqa: E402
from tbgen.library.catalog import read_manifest  # noqa: E402
from tbgen.library.costs import fits_memory  # noqa: E402
from tbgen.material import TableMaterial, build_order, table_named  # noqa: E402
from tbgen.storage.files import path_of  # noqa: E402
from tests.library import kills  # noqa: E402
from tests.library.made_up import write_descent  # noqa: E402

START_SECONDS = 2.0
"""Before a build begins its table."""


class Kills:
    """A table whose builds are killed."""

    def __init__(self, material: TableMaterial, place: Path, small: Path, seed: int) -> None:
        self.material = material
        self.place = place
        self.small = small
        self.draw = random.Random(seed)
        self.count = 0
        self.whole = self.folder("whole")
        kills.finish(self.whole, [str(material)])
        made = read_manifest(self.whole)[str(material)]
        self.seconds = (made.cpu_seconds or 0.0) + START_SECONDS
        say(
            material=str(material),
            cpu_seconds=made.cpu_seconds,
            bytes=made.bytes,
            peak_bytes=made.peak_bytes,
        )

    def folder(self, name: str) -> Path:
        """A folder with all that the table leads to."""
        folder = self.place / name
        write_descent(folder, self.material, self.small)
        return folder

    def in_a_row(self, most: int) -> None:
        """Kill builds that go on from each other, then let one come to its end.

        Where nothing is kept each may be killed at any moment. Otherwise they are as long,
        together, as one build.
        """
        folder = self.folder(f"killed from {self.count} on")
        kept: set[int] = set()
        part = 1.0 if fits_memory(layout_of(self.material)) else min(1.0, 2 / most)
        for _ in range(most):
            seconds = self.draw.uniform(0.0, part * self.seconds)
            build = kills.start(folder, [str(self.material)])
            if not kills.kill(build, folder, partial(cpu_seconds_of, build), seconds):
                break
            self.count += 1
            before = kept
            kept = kills.blocks_kept(folder, self.material)
            say(
                kill=self.count,
                cpu_seconds=seconds,
                blocks_kept=len(kept),
                left=kills.leftovers(folder),
            )
            kills.assert_only_blocks_in_flight_are_lost(folder, self.material, before, kept)
        kills.finish(folder, [str(self.material)])
        kills.assert_as_if_left_in_peace(folder, self.whole, build_order([self.material]))
        say(kills=self.count, then="the same files, byte for byte, and nothing beside them")
        path_of(folder, self.material).unlink()

    def stopped(self, times: int) -> None:
        """Stop one build at seeded moments, and look at its folder: a kill would leave just that.

        This is for tables that keep nothing on the way, whose builds begin anew each time: nothing
        may lie there by then.
        """
        folder = self.folder("stopped")
        before = stamps(folder)
        build = kills.start(folder, [str(self.material)])
        moments = sorted(self.draw.uniform(0.0, self.seconds) for _ in range(times))
        for number, seconds in enumerate(moments, 1):
            kills.wait_until(build, partial(cpu_seconds_of, build), seconds)
            build.send_signal(signal.SIGSTOP)
            left = kills.leftovers(folder)
            now = stamps(folder)
            names = sorted(before.keys() | now.keys())
            changed = [name for name in names if before.get(name) != now.get(name)]
            say(
                stop=number,
                cpu_seconds=seconds,
                at_work=build.poll() is None,
                left=left,
                changed=changed,
            )
            build.send_signal(signal.SIGCONT)
        build.wait()
        kills.assert_as_if_left_in_peace(folder, self.whole, build_order([self.material]))
        say(stops=times, then="the same files, byte for byte, and nothing beside them")


USER_FIELD = 11
SYSTEM_FIELD = 12
"""The places of CPU times behind the name of a process in /proc."""


def cpu_seconds_of(build: subprocess.Popen[bytes]) -> float:
    """How long a process has worked, however busy the machine is; only Linux tells."""
    fields = Path(f"/proc/{build.pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[USER_FIELD]) + int(fields[SYSTEM_FIELD])
    return ticks / os.sysconf("SC_CLK_TCK")


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """When each file of a folder was written, and how long it is."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in paths}


def say(**facts: object) -> None:
    for name, fact in facts.items():
        if isinstance(fact, float):
            facts[name] = round(fact, 2)
    print(json.dumps(facts), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("material", type=table_named, metavar="MATERIAL")
    parser.add_argument(
        "--small", type=Path, required=True, metavar="DIR", help="tables of two to four men"
    )
    parser.add_argument("--kills", type=int, default=30, metavar="N")
    parser.add_argument(
        "--in-a-row", type=int, default=5, metavar="N", help="kills before a build comes to its end"
    )
    parser.add_argument(
        "--stop",
        action="store_true",
        help="stop one build so often instead, and look at its folder",
    )
    parser.add_argument("--seed", type=int, default=8, metavar="N")
    parser.add_argument(
        "--place", type=Path, metavar="DIR", help="where to work (default: a temporary folder)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.place) as place:
        killed = Kills(options.material.canonical(), Path(place), options.small, options.seed)
        if options.stop:
            killed.stopped(options.kills)
        while killed.count < options.kills and not options.stop:
            killed.in_a_row(min(options.in_a_row, options.kills - killed.count))


if __name__ == "__main__":
    main()
