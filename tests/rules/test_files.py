"""Committed files are small, contain no registry addresses or local paths, and pin all dependencies."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.tree import PACKAGE, ROOT

MOST_LINES = 400
MOST_LINES_OF_TESTS = 500
BESIDE = [
    "requirements-pypaimon.lock",
    "requirements-spark.lock",
    "requirements-spark35.lock",
    "requirements-spark43.lock",
    "requirements-connect.lock",
    "requirements-duckdb.lock",
    "requirements-chdb.lock",
    "requirements-daft.lock",
    "requirements-kubernetes.lock",
    "requirements-sbom.lock",
    "requirements-polars.lock",
    "requirements-trino.lock",
    "requirements-flink.lock",
    "requirements-openapi.lock",
    "requirements-docs.lock",
    "requirements-uv.lock",
]
LOCKS = ["requirements.lock", "requirements-server.lock", "requirements-lowest.lock", *BESIDE]


def committed() -> list[Path]:
    """Return every file of the tree that git tracks or does not ignore."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_no_source_file_is_above_400_lines():
    sizes = {
        str(path.relative_to(ROOT)): path.read_text("utf-8").count("\n") for path in committed() if path.suffix == ".py"
    }
    long = {
        name: size
        for name, size in sizes.items()
        if size > (MOST_LINES_OF_TESTS if name.startswith("tests/") else MOST_LINES)
    }
    assert len(sizes) > 50
    assert not long


def test_no_module_is_named_after_nothing():
    empty_names = {"utils", "util", "helpers", "common", "base", "core", "misc", "manager"}
    assert not [path for path in PACKAGE.rglob("*") if path.stem in empty_names]


def test_every_module_says_what_it_is():
    silent = [
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.py")
        if path.read_text().strip() and not path.read_text().startswith('"""')
    ]
    assert not silent


# Joined from parts, so that this file does not match.
REGISTRY = re.compile(
    "|".join(
        [
            r'"resolved": *"http',
            r'url *= *"https?://[^"]*\.(whl|tar\.gz|tgz)',
            "--(extra-)?" + "index-url",
            "files." + "pythonhosted",
            "pypi" + r"\.org/simple",
        ]
    )
)


def test_nothing_committed_names_a_registry_or_a_path_of_this_machine():
    places = [str(ROOT) + "/"] + [f"{home}/" for home in [str(Path.home())] if len(home) > 2]
    found = []
    for path in committed():
        text = path.read_bytes().decode("utf-8", "replace")
        if REGISTRY.search(text) or any(place in text for place in places):
            found.append(str(path.relative_to(ROOT)))
    assert not found


def pins(lock: str) -> dict[str, list[str]]:
    """Return the pins of a lock: ``name==version`` to hashes."""
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    return {line.split()[0]: re.findall(r"--hash=sha256:([0-9a-f]{64})", line) for line in text.splitlines() if line}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_its_hashes(lock):
    assert len(pins(lock)) > (0 if lock in BESIDE else 20)
    for pin, hashes in pins(lock).items():
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]*==[0-9][\w.]*", pin), pin
        assert hashes, pin


def unpinned(lock: str) -> list[str]:
    """Return the packages of an npm lock that have no SHA-512."""
    packages = json.loads(lock)["packages"]
    return [name for name, pin in packages.items() if name and not pin.get("integrity", "").startswith("sha512-")]


def test_every_package_of_npm_has_its_hash():
    locks = [path for path in committed() if path.name == "package-lock.json"]
    assert len(locks) >= 3
    assert {path: found for path in locks if (found := unpinned(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize("pin", [{"version": "1"}, {"version": "1", "integrity": "sha1-abc"}])
def test_a_package_of_npm_without_its_hash_is_found(pin):
    assert unpinned(json.dumps({"packages": {"": {}, "node_modules/a": pin}})) == ["node_modules/a"]


def test_the_lock_pins_all_that_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    pinned = {lock: {pin.partition("==")[0] for pin in pins(lock)} for lock in LOCKS}
    for lock, wanted in {
        "requirements.lock": project["dependencies"] + [name for extra in extras.values() for name in extra],
        "requirements-server.lock": project["dependencies"] + extras["server"] + extras["postgres"],
        "requirements-spark43.lock": project["dependencies"] + extras["spark"],
    }.items():
        names = {re.split(r"[\[<>=!; ]", requirement)[0].lower().replace("_", "-") for requirement in wanted}
        assert names <= pinned[lock]
    assert not {"pytest", "mypy", "pyiceberg"} & pinned["requirements-server.lock"]


def requirements() -> list[str]:
    """Return all requirements of the project and its extras, without environment markers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = (requirement for extra in project["optional-dependencies"].values() for requirement in extra)
    return [requirement.partition(";")[0] for requirement in (*project["dependencies"], *extras)]


def test_the_lowest_versions_are_those_that_the_project_names():
    pinned = dict(pin.split("==") for pin in pins("requirements-lowest.lock"))
    for requirement in requirements():
        name, _, floor = requirement.partition(">=")
        name = name.partition("[")[0].lower().replace("_", "-")
        if floor:
            assert re.fullmatch(re.escape(floor) + r"(\.0)*", pinned[name]), (requirement, pinned[name])


CAPS: dict[str, str] = {}
"""Requirements with an upper bound, each with the test that fails with a newer version."""


def test_nothing_is_capped_unless_a_test_says_why():
    capped = {requirement for requirement in requirements() if re.search(r"<|==|~=|!=", requirement)}
    assert capped == set(CAPS)


def test_the_image_runs_what_the_tests_ran():
    tested, shipped = pins("requirements.lock"), pins("requirements-server.lock")
    assert shipped.items() <= tested.items()
