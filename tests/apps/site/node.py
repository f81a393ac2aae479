"""The explorer's modules in node: those that touch no page are tested without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from tests.project import ROOT

EXPLORER = ROOT / "tbgen" / "apps" / "pages" / "explorer"
NEEDED = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def run(script: str, asked: object = None) -> Any:
    """The value of a script's last expression, a function of what is asked, or what it promises.

    The script may import the explorer's modules as `./NAME.js`.
    """
    program = script.replace("'./", f"'{EXPLORER.as_uri()}/")
    *imports, does = program.strip().split("\n\n")
    whole = "\n".join(
        [
            "import { readFileSync } from 'node:fs';",
            *imports,
            f"const does = {does};",
            "const told = await does(JSON.parse(readFileSync(0, 'utf8')));",
            "console.log(JSON.stringify(told ?? null));",
        ]
    )
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", whole],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
