"""A sample of what `scripts/attack.py` tries by the hundred."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.attacks.all_attacks import ATTACKS
from tests.attacks.attack import Attack
from tests.attacks.sources import Sources

SEED = 1


@pytest.mark.parametrize("attack", [each for each in ATTACKS if each.sample], ids=lambda attack: attack.title)
def test_an_attack_gives_no_traceback_and_no_wrong_result(attack: Attack, tmp_path: Path, table_folder: Path) -> None:
    with ExitStack() as closing:
        attempt = attack.begin(tmp_path, table_folder, closing)
        for number in range(attack.sample):
            attempt(attack.draw(SEED, number))


def test_a_run_whose_sources_change_ends(tmp_path: Path) -> None:
    (tmp_path / "tbgen").mkdir()
    (tmp_path / "tbgen" / "a.py").write_text("A = 1\n")
    sources = Sources(tmp_path)
    sources.check()
    (tmp_path / "tbgen" / "a.py").write_text("A = 2\n")
    with pytest.raises(SystemExit, match="the sources have changed"):
        sources.check()
