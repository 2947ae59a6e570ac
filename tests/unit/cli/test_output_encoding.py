"""Output in encodings that do not have all characters."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from lakemuster.cli import app
from tests.unit.cli.commands import Shelf

NAMES = ["a.čšž", "a.\U0001f600", "a.é", "a.\udcff"]


@pytest.mark.parametrize("charset", ["ascii", "latin-1", "utf-8"])
def test_json_stays_json(use, charset):
    use(Shelf(tables=[{"name": name} for name in NAMES]))
    ran = CliRunner(charset=charset).invoke(app, ["tables", "--json"])
    assert ran.exit_code == 0
    assert [row["name"] for row in json.loads(ran.stdout_bytes.decode(charset))] == NAMES


def test_columns_show_what_the_encoding_does_not_have(use):
    use(Shelf(tables=[{"name": name} for name in NAMES]))
    ran = CliRunner(charset="latin-1").invoke(app, ["tables"])
    assert ran.stdout_bytes.decode("latin-1").splitlines()[1:] == [
        r"a.\u010d\u0161\u017e", r"a.\ud83d\ude00", "a.é", r"a.\udcff",
    ]  # fmt: skip
