"""How Sphinx makes the documentation a site; `scripts/docs` calls it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_site"))

from tbgen.system import __version__  # noqa: E402 - only now on the path

project = "tbgen"
version = release = __version__
author = "the tbgen maintainers"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "generated",
]
exclude_patterns = ["_site"]
html_theme = "furo"
html_title = f"tbgen {version}"
html_show_copyright = False
copybutton_prompt_text = "$ "

myst_heading_anchors = 4
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_class_signature = "mixed"
napoleon_numpy_docstring = False
intersphinx_mapping = {
    "chess": ("https://python-chess.readthedocs.io/en/latest/", "_site/chess.inv")
}
