"""What a release is checked by."""

import importlib.util
import json
import tomllib

import pytest

from tbgen.system import __version__
from tests.project import ROOT

spec = importlib.util.spec_from_file_location("check_tag", ROOT / "scripts" / "check_tag.py")
assert spec is not None
assert spec.loader is not None
check_tag = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_tag)

CHANGELOG = "# Changes\n\n## 0.2.0 (2026-12-01)\n\n* Something.\n\n## 0.1.0 (unreleased)\n"


def test_a_tag_of_the_version_with_a_date_in_the_changelog_is_right() -> None:
    assert check_tag.faults_of("v0.2.0", "0.2.0", CHANGELOG) == []


def test_a_tag_of_another_version_is_refused() -> None:
    assert check_tag.faults_of("v0.2.0", "0.1.0", CHANGELOG) == [
        "the version of the program is 0.1.0, not 0.2.0"
    ]


def test_a_version_without_a_date_is_not_released() -> None:
    assert check_tag.faults_of("v0.1.0", "0.1.0", CHANGELOG) == [
        "CHANGELOG.md has no date of 0.1.0"
    ]


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text()
CITATION = (ROOT / "CITATION.cff").read_text()


def test_a_release_without_an_address_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_tag.main("v0.1.0") == 1
    has_none = check_tag.NO_ADDRESS in PROJECT["urls"].values()
    assert ("the repository has no address yet" in capsys.readouterr().err) == has_none


def test_the_recipe_and_the_citation_have_the_version_and_the_address() -> None:
    assert f'version: "{__version__}"' in RECIPE
    assert f"version: {__version__}\n" in CITATION
    address = PROJECT["urls"]["Repository"]
    assert f"homepage: {address}\n" in RECIPE
    assert f'repository-code: "{address}"\n' in CITATION


def test_the_recipe_needs_what_the_wheel_needs() -> None:
    needed = {
        line.strip("- ") for line in RECIPE.partition("  run:\n")[2].split("\n\n")[0].split("\n")
    }
    expected = {name.replace("chess>=", "python-chess>=") for name in PROJECT["dependencies"]}
    assert {name.replace(" ", "") for name in needed} == expected | {"python>=${{python_min}}"}
    assert f'python_min: "{PROJECT["requires-python"].removeprefix(">=")}"' in RECIPE


def test_the_licences_are_those_of_all_that_is_shipped() -> None:
    vendor = ROOT / "tbgen" / "apps" / "pages" / "explorer" / "vendor"
    vendored = json.loads((vendor / "vendored.json").read_text()).values()
    licences = {library["licence"] for library in vendored} | {"0BSD"}
    assert set(PROJECT["license"].split(" AND ")) == licences
    assert f"license: {PROJECT['license']}\n" in RECIPE
    files = {path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)}
    assert {path for path in files if path.parent == vendor} == set(vendor.glob("*.LICENSE"))
    assert all(f"    - {path.relative_to(ROOT)}\n" in RECIPE for path in files)
