"""The proofs by machine, where Coq and OCaml are installed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.project import ROOT

HAS_COQ = bool(shutil.which("coqc") and shutil.which("ocamlopt"))


@pytest.mark.slow
@pytest.mark.skipif(not HAS_COQ, reason="needs Coq and OCaml: apt-get install coq ocaml")
def test_the_tables_of_two_and_three_men_are_proved_and_all_mutants_refused() -> None:
    check = subprocess.run([ROOT / "proofs" / "check"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr
    lines = check.stdout.splitlines()
    assert "no axioms" in lines
    assert len([line for line in lines if " proved " in line]) == 6
    assert len([line for line in lines if line.endswith("  as known")]) == 6
    assert "1000 of 1000 changed dumps refused" in lines
