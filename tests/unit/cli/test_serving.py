"""The server of one process: signals."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from lakemuster.cli import serving
from lakemuster.config import load_settings


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("moment", ["warm_up", "ready"])
def test_a_signal_ends_a_server_whenever_it_comes(
    number: signal.Signals, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[str] = []

    def pass_moment(name: str) -> None:
        passed.append(name)
        if name == moment:
            signal.raise_signal(number)

    # Other tests of this process read the log.
    monkeypatch.setattr(serving, "log_config", lambda *_: None)
    monkeypatch.setattr(serving, "export_telemetry", lambda _: None)
    monkeypatch.setattr(serving, "reload_on_hangup", lambda _: None)
    monkeypatch.setattr(serving, "warm_up", lambda: pass_moment("warm_up"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving._serve_here(FastAPI(), load_settings(), listener, lambda: pass_moment("ready"))
    assert passed == ["warm_up", "ready"]
