"""How the user calls the program, so that remedies name commands that work there.

A shell may not find `tbgen`: it is in a virtual environment, or Python runs it as a module.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

_NAME = "tbgen"
_COMMAND = re.compile(rf"(?<=: ){_NAME} (?=[a-z])")
"""A command in a remedy, as in `build it with: tbgen build KvK`."""


def with_program(text: str) -> str:
    """The text with its commands as they work in the user's shell."""
    if _NAME not in text:
        return text
    return _COMMAND.sub(lambda _: f"{_program()} ", text)


@cache
def _program() -> str:
    """The words that call the program; its name if the shell finds this very program."""
    called = sys.argv[0]
    if Path(called).parts[-2:] == (_NAME, "__main__.py"):
        return f"{shlex.quote(sys.executable)} -m {_NAME}"
    if os.path.basename(called) != _NAME:
        return _NAME
    import shutil  # importing it costs more than a probe

    found = shutil.which(_NAME)
    if found is not None and os.path.realpath(found) == os.path.realpath(called):
        return _NAME
    return shlex.quote(called)
