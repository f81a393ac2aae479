"""What a release is checked by."""

import importlib.util

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


def test_the_recipe_and_the_citation_have_the_version_of_the_program() -> None:
    source = (ROOT / "tbgen" / "system" / "__init__.py").read_text()
    version = source.partition('__version__ = "')[2].partition('"')[0]
    assert f'version = "{version}"' in (ROOT / "recipe" / "meta.yaml").read_text()
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()
