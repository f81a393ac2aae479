"""The subcommands that use tables, as a user calls them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from tbgen.cli.build import bytes_in
from tbgen.material import Material, build_order, materials
from tbgen.text import in_gib
from tests.cli.calls import tbgen


def test_a_plan_says_of_every_table_whether_it_can_be_made(tmp_path: Path) -> None:
    plan = ("build", "--men", "5", "--plan", "--memory", "2G", "--threads", "2")
    facts = json.loads(tbgen(*plan, "--json", folder=tmp_path).stdout)
    made = {each["material"] for each in facts["tables"]}
    too_large = {each["material"] for each in facts["too_large"]}
    assert sorted([*made, *too_large, *facts["cut_off"]]) == sorted(
        map(str, build_order(materials(5)))
    )
    assert facts["cut_off"]
    for name in facts["cut_off"]:
        assert not made.issuperset(map(str, Material.parse(name).children())), (
            "one that it needs is not made"
        )
    done = tbgen(*plan, folder=tmp_path)
    assert f"\ntables    {len(made)} to build, 0 already there, " in done.stdout
    assert len(re.findall(r"^K\w+ +[0-9.]+ GiB$", done.stdout, re.MULTILINE)) == len(too_large)
    assert f"\nskipped: {len(facts['cut_off'])} tables need one of these: " in done.stdout
    assert f"; {146 - len(made)} tables cannot be made, --plan names them" in done.stderr


@pytest.mark.parametrize("text", ["3.7 GiB", "3.8 GiB", "8.0 GiB", "700 MiB"])
def test_a_size_that_was_written_is_shown_as_it_was(text: str) -> None:
    assert in_gib(bytes_in(text), math.floor) == text
