#!/usr/bin/env python3
"""Attack the program with seeded inputs, and print a table of what was tried.

attack.py                      the counts of the first attack, some forty minutes of CPU time
attack.py --share 0.1 --seed 7
attack.py --only "forged tables" --seed 7 --from 31 --share 1   go on from an attempt that failed

Full disks and two users need the rights of root, which can mount small file systems and run as somebody else (setpriv).
Every attempt is drawn from the seed and its number alone. A failure is printed and counted; the others go on.
The sources must stay as they are meanwhile: run it in a clone that nobody works in.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import traceback
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.attacks.all_attacks import ATTACKS  # noqa: E402
from tests.attacks.attack import Attack  # noqa: E402

FOR_ROOT = ("full disks", "two users")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--share", type=float, default=1.0, help="the part of the counts to try")
    parser.add_argument("--only", choices=[each.title for each in ATTACKS], action="append")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the number of the first attempt")
    wanted = parser.parse_args()
    print("| attack | tried | failed | CPU seconds |\n|---|---|---|---|", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        tables = Path(name) / "three men"
        subprocess.run(
            [sys.executable, "-m", "tbgen", "build", "--men", "3", "--data", str(tables), "-q"], check=True, cwd=ROOT
        )
        for attack in ATTACKS:
            if wanted.only and attack.title not in wanted.only:
                continue
            if attack.title in FOR_ROOT and os.geteuid() != 0:
                print(f"| {attack.title} | needs root | | |", flush=True)
                continue
            failed += carried_out(attack, Path(name) / str(ATTACKS.index(attack)), tables, wanted)
    sys.exit(failed > 0)


def carried_out(attack: Attack, folder: Path, tables: Path, wanted: argparse.Namespace) -> int:
    """Try an attack as often as is wanted; how many attempts failed."""
    folder.mkdir()
    start, failed = cpu_seconds(), 0
    count = max(1, round(attack.count * wanted.share))
    with ExitStack() as closing:
        attempt = attack.begin(folder, tables, closing)
        for number in range(wanted.first, wanted.first + count):
            try:
                attempt(attack.draw(wanted.seed, number))
            except (Exception, SystemExit):
                failed += 1
                print(f"{attack.title}, seed {wanted.seed}, attempt {number}:", file=sys.stderr)
                traceback.print_exc()
    print(f"| {attack.title} | {count:,} | {failed} | {cpu_seconds() - start:.0f} |", flush=True)
    return failed


def cpu_seconds() -> float:
    """Of this process and of all that it has started and seen the end of."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


if __name__ == "__main__":
    main()
