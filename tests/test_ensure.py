"""The environment that all scripts make: once, whole, and again after a change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import ROOT

PYTHON = f"""#!/bin/sh
# Stands in for Python: notes what it is asked for.
case "$*" in
*version_info*) exit $TOO_OLD ;;
*fcntl*) exec {sys.executable} "$@" ;;
*--version*) echo "Python 3.9.18" ;;
*venv*)
    echo venv >>asked
    rm -rf .venv
    mkdir -p .venv/bin
    cp "$0" .venv/bin/python
    ;;
*pip*)
    echo pip >>asked
    [ "$FAILING" = pip ] && exit 1
    cp "$UV" .venv/bin/uv
    ;;
esac
"""
UV = """#!/bin/sh
echo "${@#*/python}" >>asked
[ "$FAILING" = uv ] && exit 1
sleep ${PAUSE:-0}
"""
RUNTIME = "uv --editable .[report,serve,study]"
DEVELOPMENT = "uv --editable .[docs,report,serve,study,swiss] --group dev"


class Project:
    """A project of nothing but `ensure.sh`, and of a Python and a uv that stand in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / "ensure.sh", folder / "scripts")
        self._write(
            "scripts/begin", '#!/bin/sh\n. "$(dirname "$0")/ensure.sh"\nensure $1\necho ready\n'
        )
        self._write("python", PYTHON)
        self._write("uv", UV)
        (folder / "pyproject.toml").write_text("one\n")
        (folder / "constraints.txt").write_text("one\n")

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def begin(self, part: str, **variables: str) -> subprocess.Popen[str]:
        """Begin a script that needs a part of the environment."""
        paths = {"PYTHON": str(self.folder / "python"), "UV": str(self.folder / "uv")}
        return subprocess.Popen(
            [self.folder / "scripts" / "begin", part],
            env=os.environ | paths | {"TOO_OLD": "0"} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, part: str, **variables: str) -> tuple[int | None, str]:
        """The exit code of such a script, and what it complains of."""
        process = self.begin(part, **variables)
        said, complaints = process.communicate()
        assert said == ("ready\n" if process.returncode == 0 else "")
        return process.returncode, complaints

    def asked(self) -> list[str]:
        """What was asked for since the last time."""
        file = self.folder / "asked"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return [
            "uv --editable" + line.partition("--editable")[2] if "--" in line else line
            for line in lines
        ]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_environment_is_made_once_and_says_so(project: Project) -> None:
    code, complaints = project.run("runtime")
    assert code == 0
    assert complaints.endswith("/.venv (once; about half a minute) ...\n")
    assert project.asked() == ["venv", "pip", RUNTIME]
    assert project.run("runtime") == (0, "")
    assert project.asked() == []


def test_the_environment_for_development_contains_the_other(project: Project) -> None:
    project.run("runtime")
    project.asked()
    _, complaints = project.run("dev")
    assert complaints.endswith("/.venv (once; about a minute, for development) ...\n")
    assert project.asked() == [DEVELOPMENT]
    assert project.run("runtime") == (0, "")


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_change_brings_it_up_to_date(project: Project, name: str) -> None:
    project.run("dev")
    project.asked()
    (project.folder / name).write_text("two\n")
    project.run("runtime")
    assert project.asked() == [RUNTIME]
    project.run("dev")
    assert project.asked() == [DEVELOPMENT]


@pytest.mark.parametrize("step", ["pip", "uv"])
def test_what_failed_is_made_again_from_nothing(project: Project, step: str) -> None:
    code, complaints = project.run("runtime", FAILING=step)
    assert code == 1
    assert "setting up failed; the next call tries again" in complaints
    (project.folder / ".venv" / "half-written").touch()
    project.asked()
    assert project.run("runtime")[0] == 0
    assert project.asked() == ["venv", "pip", RUNTIME]
    assert not (project.folder / ".venv" / "half-written").exists()


def test_two_at_once_make_it_once(project: Project) -> None:
    both = [project.begin("runtime", PAUSE="1") for _ in range(2)]
    for process in both:
        said, _ = process.communicate()
        assert said == "ready\n"
    assert project.asked() == ["venv", "pip", RUNTIME]


def test_a_python_that_is_too_old_is_named(project: Project) -> None:
    programs = project.folder / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(project.folder / "python")
    for name in ("cmp", "dirname"):
        (programs / name).symlink_to(str(shutil.which(name)))
    code, complaints = project.run("runtime", TOO_OLD="1", PATH=str(programs))
    assert code == 1
    assert complaints == "tbgen: Python 3.11 or newer is needed, this is Python 3.9.18\n"
