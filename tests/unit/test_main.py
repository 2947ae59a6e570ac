"""The composition root."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from fastapi import FastAPI

from lakemuster import main
from lakemuster.caching import MEMORY
from lakemuster.config import load_settings
from lakemuster.errors import IndexUnavailable
from lakemuster.main import build_services
from tests.caches import memory_limit


def test_each_worker_has_its_share_of_the_memory(tmp_path: Path) -> None:
    settings = load_settings(
        database_url=f"sqlite:///{tmp_path}/index.db",
        segments_url=str(tmp_path / "segments"),
        memory_bytes=400 * 2**20,
        workers=4,
    )
    with memory_limit(0), closing(build_services(settings)):
        assert MEMORY.limit == 100 * 2**20


def test_a_worker_that_cannot_start_says_why_in_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One that replaces another, while the database does not answer."""

    def fails(_: object) -> None:
        error = IndexUnavailable("the database does not answer")
        error.add_note("db/lake: connection refused")
        raise error

    monkeypatch.setattr(main, "silence_libraries", lambda: None)
    monkeypatch.setattr(main, "load_settings", lambda: None)
    monkeypatch.setattr(main, "build_services", fails)
    with pytest.raises(SystemExit) as ended:
        main.app()
    assert ended.value.code == 1
    said = "a server process cannot start: the database does not answer: db/lake: connection refused"
    assert caplog.messages == [said]
    assert not caplog.records[0].exc_info


@pytest.fixture
def handler_of_hangup() -> Iterator[None]:
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("handler_of_hangup")
def test_a_hangup_ends_a_server_without_a_tokens_file_only_with_its_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    app = FastAPI()
    app.state.api = SimpleNamespace(identity=SimpleNamespace(tokens=None))
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    monkeypatch.setattr(main, "_has_terminal", lambda: True)
    main.reload_on_hangup(app)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    monkeypatch.setattr(main, "_has_terminal", lambda: False)
    main.reload_on_hangup(app)
    signal.raise_signal(signal.SIGHUP)  # without a handler, it ends this process


def test_a_process_without_a_controlling_terminal_is_told_apart() -> None:
    program = "import os; from lakemuster import main; print(main._has_terminal())"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, start_new_session=True
    )
    assert done.stdout.strip() == "False"
