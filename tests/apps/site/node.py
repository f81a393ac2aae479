"""The explorer's modules in node: those that touch no page are tested without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any
from urllib.parse import quote

import pytest

from tests.project import ROOT

EXPLORER = ROOT / "tbgen" / "apps" / "pages" / "explorer"
NEEDED = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

FIRST = """import { createRequire } from 'node:module';
globalThis.fzstd = createRequire('EXPLORER/')('./vendor/fzstd.js');
"""
"""What is done before modules load. In a browser fzstd puts itself into the global scope."""
PROGRAM = """import { readFileSync } from 'node:fs';
IMPORTS
const { Tables } = await import('EXPLORER/tables.js');
const { asked, address } = JSON.parse(readFileSync(0, 'utf8'));
const told = await (DOES)(asked, new Tables(address));
console.log(JSON.stringify(told ?? null));
"""


def run(script: str, asked: object = None, tables: str = "") -> Any:
    """The value of a function, or what it promises.

    It has what is asked, and tables whose files are at an address. The script may import the
    explorer's modules as `./NAME.js`, before an empty line and the function.
    """
    imports, _, does = script.strip().rpartition("\n\n")
    program = PROGRAM.replace("IMPORTS", imports.replace("'./", "'EXPLORER/")).replace("DOES", does)
    first, whole = (text.replace("EXPLORER", EXPLORER.as_uri()) for text in (FIRST, program))
    before = f"--import=data:text/javascript,{quote(first)}"
    done = subprocess.run(
        ["node", before, "--input-type=module", "--eval", whole],
        input=json.dumps({"asked": asked, "address": tables}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
