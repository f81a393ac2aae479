from __future__ import annotations

import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from scripts import environment

GROUP = '[dependency-groups]\ndev = ["pytest"]\n'


class FakeCommands:
    """Stands in for venv and pip: notes what is asked for, and makes an interpreter."""

    def __init__(self, environment: Path) -> None:
        self.environment = environment
        self.seen: list[str] = []
        self.compiled: list[bool] = []
        self.failing = ""
        self.error: BaseException = KeyboardInterrupt()

    def __call__(self, command: list[str], lock: object, log: object) -> None:
        name = "venv" if "venv" in command else command[-1]
        self.seen.append(name)
        if name == self.failing:
            raise self.error
        if name == "venv":
            python = self.environment / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.touch(mode=0o755)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    files = {
        "ENVIRONMENT": ".venv",
        "PROJECT": "pyproject.toml",
        "LOCKED": "constraints.txt",
        "LOG": "log",
        "LOCK": "lock",
    }
    for name, file in files.items():
        monkeypatch.setattr(environment, name, tmp_path / file)
    environment.PROJECT.write_text(GROUP)
    environment.LOCKED.write_text("pytest==9.0\n")
    return environment


@pytest.fixture
def commands(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> FakeCommands:
    fake = FakeCommands(script.ENVIRONMENT)
    monkeypatch.setattr(script, "run", fake)
    monkeypatch.setattr(
        script, "compile_kernels", lambda: fake.compiled.append(script.is_ready("dev"))
    )
    return fake


def test_the_environment_is_made_once(script: ModuleType, commands: FakeCommands) -> None:
    assert script.main("runtime") == 0
    assert script.main("runtime") == 0
    assert commands.seen == ["venv", ".[report,serve]"]
    assert commands.compiled == [], "a user compiles what is asked for"
    assert script.main("dev") == 0
    assert commands.compiled == [True], "kernels are compiled when the environment is complete"


@pytest.mark.parametrize(
    ("part", "wait"),
    [("runtime", "(once; about half a minute)"), ("dev", "for development (once; about a minute)")],
)
def test_it_is_announced_how_long_it_takes(
    script: ModuleType,
    commands: FakeCommands,
    capsys: pytest.CaptureFixture[str],
    part: str,
    wait: str,
) -> None:
    script.main(part)
    assert wait in capsys.readouterr().err


@pytest.mark.parametrize("step", ["venv", ".[report,serve]"])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (subprocess.CalledProcessError(1, ["pip"]), 1),
        (OSError(28, "full"), 1),
    ],
)
def test_after_an_interruption_it_is_made_again_from_nothing(
    script: ModuleType,
    commands: FakeCommands,
    capsys: pytest.CaptureFixture[str],
    step: str,
    error: BaseException,
    code: int,
) -> None:
    commands.failing, commands.error = step, error
    assert script.main("runtime") == code
    assert "Traceback" not in capsys.readouterr().err
    assert not script.is_ready("runtime")
    remains = script.ENVIRONMENT / "half-written"
    remains.parent.mkdir(exist_ok=True)
    remains.touch()
    commands.failing = ""
    commands.seen.clear()
    assert script.main("runtime") == 0
    assert commands.seen == ["venv", ".[report,serve]"]
    assert not remains.exists()


def test_a_changed_project_brings_it_up_to_date(script: ModuleType, commands: FakeCommands) -> None:
    script.main("dev")
    script.PROJECT.write_text(f"{GROUP}# changed")
    assert not script.is_ready("dev")
    script.main("runtime")
    assert commands.seen == ["venv", ".[docs,report,serve,study,swiss]", ".[report,serve]"]
    assert not script.is_ready("dev")
    assert script.is_ready("runtime")


@pytest.mark.parametrize("part", ["runtime", "dev"])
def test_other_versions_alone_bring_it_up_to_date(
    script: ModuleType, commands: FakeCommands, part: str
) -> None:
    script.main(part)
    script.LOCKED.write_text("pytest==9.1\n")
    assert not script.is_ready(part)
    script.main(part)
    assert script.is_ready(part)
    assert commands.seen == ["venv", script.PARTS[part], script.PARTS[part]]
