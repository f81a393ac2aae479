"""Compare the tag of a release with the version and CHANGELOG.md, and see that the address is set.

check_tag.py v0.1.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NO_ADDRESS = "https://tbgen.example"


def faults_of(tag: str, version: str, changelog: str) -> list[str]:
    """What is wrong with a tag.

    >>> faults_of("v0.1.0", "0.1.0", "## 0.1.0 (2026-11-27)")
    []
    >>> faults_of("v0.2.0", "0.1.0", "## 0.2 (unreleased)")
    ["the version of the program is 0.1.0, not 0.2.0", "CHANGELOG.md has no date of 0.2.0"]
    """
    tagged = tag.removeprefix("v")
    faults = []
    if tagged != version:
        faults.append(f"the version of the program is {version}, not {tagged}")
    heading = re.compile(rf"^## {re.escape(tagged)} \(\d{{4}}-\d\d-\d\d\)$", re.M)
    if not heading.search(changelog):
        faults.append(f"CHANGELOG.md has no date of {tagged}")
    return faults


def main(tag: str) -> int:
    """Print what is wrong with a tag; the exit code is 1 if anything is."""
    source = (ROOT / "tbgen" / "system" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(.+)"$', source, re.M)
    if match is None:
        print("tbgen/system/__init__.py has no version", file=sys.stderr)
        return 1
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    faults = faults_of(tag, match[1], changelog)
    if NO_ADDRESS in (ROOT / "pyproject.toml").read_text(encoding="utf-8"):
        faults.append("the repository has no address yet; CONTRIBUTING.md says where to give it")
    for fault in faults:
        print(f"{tag}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
