"""The wheel is complete: it works without the source tree and includes the migrations and the demo lake."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile

import pytest

from tests.beside import python_of
from tests.tree import PACKAGE, ROOT


def pip_for(python):
    """Return the command of pip for an environment, which needs no pip of its own."""
    return [python_of("requirements-uv.lock"), "-m", "pip", "--python", python]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel, built by pip."""
    folder = tmp_path_factory.mktemp("wheel")
    how = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    subprocess.run([*pip_for(sys.executable), "wheel", *how, "--wheel-dir", folder, ROOT], check=True)
    (wheel,) = folder.glob("lakemuster-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(built, tmp_path_factory):
    """The wheel, unpacked."""
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(built).extractall(folder)
    return folder


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
    kinds = {".py", ".zip", ".typed", ".ll", ".js", ".css", ".svg", ".html", ".json", ".LICENSE"}
    kept = {path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.suffix in kinds}
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


@pytest.mark.parametrize("given", ["tree", "wheel"])
def test_pip_installs_the_servers_extra_of_the_tree_and_of_a_wheel(built, given, tmp_path):
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    # The dependencies are installed already: pip finds them there and uses no index.
    places = [sysconfig.get_path(kind) for kind in ("purelib", "platlib")]
    (there,) = (tmp_path / "venv").glob("lib/*/site-packages")
    (there / "here.pth").write_text("\n".join(places))
    source = {"tree": ROOT, "wheel": built}[given]
    how = ["--quiet", "--no-index", "--no-build-isolation", "--no-compile"]
    command = [*pip_for(python), "install", *how, f"{source}[server]"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LAKEMUSTER"))}
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)
    for words in (["--version"], ["migrate"], ["tables"]):
        command = [tmp_path / "venv" / "bin" / "lakemuster", *words]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert version() in done.stdout or words != ["--version"]
    assert (tmp_path / ".lakemuster" / "index.db").is_file()


def test_an_installed_lakemuster_has_the_demo_lake(wheel, tmp_path):
    program = "from pathlib import Path; from lakemuster.demo import unpack; print(unpack(Path('lake')))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(tmp_path / "lake")
