from __future__ import annotations

import re
from pathlib import Path

import tbgen
from tbgen.compiled.folders import LENDERS

FOLDER = Path(tbgen.__file__).parent / "holding"


def test_compiled_kernels_are_named_after_the_sources_of_all_that_they_call() -> None:
    files = [path for path in FOLDER.glob("*.py") if "compiled.jit" in path.read_text()]
    assert {"check_kernels.py", "closure_kernels.py", "frame_kernels.py", "keys.py", "mailbox.py"} == {
        path.name for path in files
    }
    called = {package for path in files for package in re.findall(r"^from tbgen\.(\w+)\.", path.read_text(), re.M)}
    assert called == {"holding", "index", *LENDERS["holding"]}
