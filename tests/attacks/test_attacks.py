"""Each attack, by seed: a few attempts, or `--attack 10` times as many, with `--attack-seed 7`
others.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.attacks.all_attacks import ATTACKS
from tests.attacks.attack import Attack


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Attacks that need root are only made by root, and only when more than the ordinary number is
    asked for.
    """
    may_need_root = metafunc.config.getoption("--attack") != 1 and os.geteuid() == 0
    attacks = [attack for attack in ATTACKS if may_need_root or not attack.needs_root]
    if "attack" in metafunc.fixturenames:
        metafunc.parametrize("attack", [parameter_of(attack) for attack in attacks])


def parameter_of(attack: Attack) -> ParameterSet:
    marks = [pytest.mark.slow] if attack.is_load else []
    return pytest.param(attack, id=attack.title, marks=marks)


def test_an_attack_gives_no_traceback_and_no_wrong_result(
    attack: Attack, tmp_path: Path, table_folder: Path, pytestconfig: pytest.Config
) -> None:
    factor = pytestconfig.getoption("--attack")
    seed = pytestconfig.getoption("--attack-seed")
    with ExitStack() as closing:
        attempt = attack.begin(tmp_path, table_folder, closing)
        for number in range(max(1, round(attack.sample * factor))):
            try:
                attempt(attack.draw(seed, number))
            except (Exception, SystemExit) as error:
                raise AssertionError(f"{attack.title}, seed {seed}, attempt {number}") from error
