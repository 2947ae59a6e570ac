"""The pages of docs/reference equal those that ``make reference`` generates from the code."""

from __future__ import annotations

import pytest

from lakemuster.config import Settings
from scripts import reference
from tests.tree import ROOT


@pytest.fixture(scope="module")
def pages():
    return reference.pages()


def test_the_committed_pages_are_the_codes(pages):
    committed = {path.name: path.read_text("utf-8") for path in reference.FOLDER.glob("*.md")}
    assert committed == pages, "run make reference"


def test_defaults_that_depend_on_the_machine_are_in_words(pages, monkeypatch):
    monkeypatch.setattr("lakemuster.config.available_memory", lambda: 2**30)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert Settings().decoders == 3
    assert reference.settings() == pages["settings.md"].removeprefix(reference.HEAD)


@pytest.mark.parametrize(
    "row",
    [
        "| `--bucket hour\\|day\\|week\\|month` | Sum the",
        "| `--order asc\\|desc` | By time: desc shows the newest first. Default: `desc`. |",
        "One of `debug`",
        "Default: `3600`. At least 0. |",
        "From 0 to 16. |",
        "    lakemuster webhooks [NAME]\n",
    ],
)
def test_options_have_their_values_and_defaults(pages, row):
    assert row in pages["command-line.md"] + pages["settings.md"]


def test_commands_that_ask_no_server_are_listed(pages):
    listed = pages["command-line.md"].split("## ")[0]
    assert "[`discover`](#discover)" in listed
    assert "[`tables`](#tables)" not in listed


def test_metrics_have_their_labels(pages):
    assert "| `lakemuster_requests_total` | counter | `method`; `route`; `status` |" in pages["metrics.md"]
    assert "| `lakemuster_tables` | gauge | `state`: `fresh`, `stale` |" in pages["metrics.md"]
    assert "| `process_open_fds` | gauge | `worker` |" in pages["metrics.md"]


def test_the_page_of_configuration_has_every_setting():
    page = (ROOT / "docs" / "operations" / "configuration.md").read_text("utf-8")
    assert not [name for name in Settings.model_fields if f"`{name.upper()}`" not in page and f"`[{name}." not in page]
