"""The wheel is whole: it works without the source tree, with its migrations and its demo lake."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest

from tests.tree import PACKAGE, ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that pip would install, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    subprocess.run([*command, "--wheel-dir", folder, ROOT], check=True)
    (built,) = folder.glob("lakemuster-*.whl")
    zipfile.ZipFile(built).extractall(folder / "site")
    return folder / "site"


def run(wheel, folder, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LAKEMUSTER"))}
    return subprocess.run(
        [sys.executable, "-m", "lakemuster", *words],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_module_of_the_package_is_in_the_wheel(wheel):
    kept = {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.suffix in {".py", ".zip", ".typed", ".ll"}}
    assert not {path for path in kept if not (wheel / "lakemuster" / path).is_file()}
    assert {path.name for path in wheel.iterdir()} == {"lakemuster", f"lakemuster-{version()}.dist-info"}


def version() -> str:
    text = (PACKAGE / "__init__.py").read_text()
    return text.split('__version__ = "', 1)[1].split('"', 1)[0]


def test_the_versions_agree(wheel):
    assert f"Version: {version()}\n" in (wheel / f"lakemuster-{version()}.dist-info" / "METADATA").read_text()


def test_an_installed_lakemuster_migrates_with_the_migrations_it_brings(wheel, tmp_path):
    assert any((wheel / "lakemuster" / "index" / "_migrations" / "versions").glob("*.py"))
    done = run(wheel, tmp_path, "migrate")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".lakemuster" / "index.db").is_file()


def test_an_installed_lakemuster_has_the_demo_lake(wheel, tmp_path):
    program = "from pathlib import Path; from lakemuster.demo import unpack; print(unpack(Path('lake'))[0])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(tmp_path / "lake")
