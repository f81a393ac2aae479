"""Each attack, by seed: a few attempts, or `--attack 10` times as many, with `--attack-seed 7` others."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.attacks.all_attacks import ATTACKS
from tests.attacks.attack import Attack


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.title)
def test_an_attack_gives_no_traceback_and_no_wrong_result(
    attack: Attack, tmp_path: Path, table_folder: Path, pytestconfig: pytest.Config
) -> None:
    factor, seed = pytestconfig.getoption("--attack"), pytestconfig.getoption("--attack-seed")
    if attack.needs_root and (factor == 1 or os.geteuid() != 0):
        pytest.skip("needs root, and --attack 2 or more")
    with ExitStack() as closing:
        attempt = attack.begin(tmp_path, table_folder, closing)
        for number in range(max(1, round(attack.sample * factor))):
            try:
                attempt(attack.draw(seed, number))
            except (Exception, SystemExit) as error:
                raise AssertionError(f"{attack.title}, seed {seed}, attempt {number}") from error
