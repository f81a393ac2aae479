"""What others have made is here byte for byte as they published it."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import tarfile
from pathlib import Path

import pytest

from tbgen.apps.pages.export import files

VENDORED = json.loads(files()["vendor/vendored.json"])
DIGESTS = Path(__file__).parent / "vendored.sha256"


def ours() -> dict[str, bytes]:
    return {
        name.removeprefix("vendor/"): content
        for name, content in files().items()
        if name.startswith("vendor/")
    }


def test_every_vendored_file_is_named_with_its_origin_and_unchanged() -> None:
    named = {name for package in VENDORED.values() for name in package["files"]}
    named |= {package["built"]["file"] for package in VENDORED.values() if "built" in package}
    assert ours().keys() == named | {"vendored.json"}
    digests = dict(line.split()[::-1] for line in DIGESTS.read_text().splitlines())
    assert {name: hashlib.sha256(ours()[name]).hexdigest() for name in named} == digests


@pytest.mark.slow
@pytest.mark.parametrize("package", list(VENDORED))
def test_vendored_files_are_those_of_the_registry(package: str, tmp_path: Path) -> None:
    about = VENDORED[package]
    command = ["npm", "pack", "--silent", f"{package}@{about['version']}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    packed = (tmp_path / done.stdout.split()[-1]).read_bytes()
    assert (
        f"sha512-{base64.b64encode(hashlib.sha512(packed).digest()).decode()}" == about["integrity"]
    )
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as archive:
        for name, path in about["files"].items():
            member = archive.extractfile(f"package/{path}")
            assert member is not None
            assert member.read() == ours()[name], name
        described = archive.extractfile("package/package.json")
        assert described is not None
        assert json.load(described)["license"] == about["licence"]


@pytest.mark.slow
@pytest.mark.parametrize("package", [name for name in VENDORED if "built" in VENDORED[name]])
def test_built_files_are_those_that_esbuild_makes_of_the_registrys(
    package: str, tmp_path: Path
) -> None:
    built = VENDORED[package]["built"]
    versions = {name: about["version"] for name, about in VENDORED.items()}
    versions["esbuild"] = built["esbuild"]
    (tmp_path / "package.json").write_text(json.dumps({"type": "module", "dependencies": versions}))
    lines = list[str]()
    for module, names in built["exports"].items():
        lines.append(f"export {{ {', '.join(names)} }} from '{package}/{module}';\n")
    (tmp_path / "entry.js").write_text("".join(lines))
    subprocess.run(["npm", "install", "--silent"], cwd=tmp_path, check=True)
    esbuild = ["npx", "esbuild", "entry.js", *built["options"], "--outfile=made.js"]
    subprocess.run(esbuild, cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "made.js").read_bytes() == ours()[built["file"]]
