"""``--quick`` excludes tests marked slow, ``--full`` adds those marked full, and a skip fails a full run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.selection import SLOW
from tests.tree import ROOT

TESTS = """
import sys, pytest

def test_plain(): pass
@pytest.mark.slow
def test_slow(): pass
@pytest.mark.full
def test_full(): pass
@pytest.mark.full
@pytest.mark.slow
def test_both(): pass
"""
SKIPS = {
    "a call": "import pytest\ndef test_skips(): pytest.skip('no such thing')",
    "a condition": "import pytest\n@pytest.mark.skipif(True, reason='no such thing')\ndef test_skips(): pass",
    "a module": "import pytest\npytest.skip('no such thing', allow_module_level=True)",
    "an import": "import pytest\npytest.importorskip('no_such_thing')",
    "a fixture": "import pytest\n@pytest.fixture\ndef f(): pytest.skip('no such thing')\ndef test_skips(f): pass",
}


def run(folder, text, *options):
    (folder / "test_it.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    plugins = ["tests.selection", "no:cacheprovider", *(["xdist"] if "--numprocesses" in options else [])]
    command = [sys.executable, "-m", "pytest", *(f"-p{name}" for name in plugins), "-q", "-rA", *options]
    # Other plugins take seconds to import.
    variables = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {"test_plain", "test_slow"}),
        (["--quick"], {"test_plain"}),
        (["--full"], {"test_plain", "test_slow", "test_full", "test_both"}),
        (["--full", "--numprocesses", "1"], {"test_plain", "test_slow", "test_full", "test_both"}),
    ],
)
def test_what_is_asked_for_runs(options, expected, tmp_path):
    status, output = run(tmp_path, TESTS, *options)
    assert status == 0, output
    assert {line.rpartition("::")[2] for line in output.splitlines() if line.startswith("PASSED")} == expected


@pytest.mark.parametrize("name", SKIPS)
def test_a_skip_fails_a_full_run_only(name, tmp_path):
    status, output = run(tmp_path, SKIPS[name])
    assert status in (0, 5), output
    for options in (["--full"], ["--full", "--numprocesses", "1"]):
        status, output = run(tmp_path, SKIPS[name], *options)
        assert status in (1, 2), output
        assert "a full run skips nothing" in output


def test_an_expected_failure_is_no_skip(tmp_path):
    failing = "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_it(): assert False"
    assert run(tmp_path, failing, "--full")[0] == 0


def test_every_slow_file_exists():
    names = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    assert not [part for part in SLOW if not any(part in name for name in names)]
