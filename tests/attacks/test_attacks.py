"""A sample of what `scripts/attack.py` tries by the hundred."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.attacks.all_attacks import ATTACKS
from tests.attacks.attack import Attack

SEED = 1


@pytest.mark.parametrize("attack", [each for each in ATTACKS if each.sample], ids=lambda attack: attack.title)
def test_an_attack_gives_no_traceback_and_no_wrong_result(attack: Attack, tmp_path: Path, table_folder: Path) -> None:
    with ExitStack() as closing:
        attempt = attack.begin(tmp_path, table_folder, closing)
        for number in range(attack.sample):
            attempt(attack.draw(SEED, number))
