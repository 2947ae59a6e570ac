"""The pages of docs/reference are what ``make reference`` writes from the code."""

from __future__ import annotations

import pytest

from lakemuster.config import Settings
from scripts import reference


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
