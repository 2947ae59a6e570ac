"""Work with a deadline: its result, its failure, and work that never ends."""

from __future__ import annotations

import threading
from unittest.mock import Mock

import pytest

from lakemuster.upstream.deadlines import DeadlineExceeded, Deadlines


def test_the_result_and_the_failure_of_work_are_the_callers() -> None:
    deadlines = Deadlines()
    assert deadlines.run(lambda: 7, 10.0) == 7
    with pytest.raises(TimeoutError, match="its own"):
        deadlines.run(lambda: _raise(TimeoutError("its own")), 10.0)


def test_work_that_does_not_end_takes_a_thread_and_no_more_than_there_are() -> None:
    deadlines, goes_on = Deadlines(threads=2), threading.Event()
    for _ in range(4):
        with pytest.raises(DeadlineExceeded):
            deadlines.run(goes_on.wait, 0.01)
    running = [thread for thread in threading.enumerate() if thread.name == "upstream"]
    assert len(running) == 2
    goes_on.set()
    for thread in running:
        thread.join()
    assert deadlines.run(lambda: 7, 10.0) == 7


def test_a_thread_that_cannot_be_started_is_not_missing_later(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines = Deadlines(threads=1)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        with pytest.raises(RuntimeError):
            deadlines.run(lambda: 7, 1.0)
    assert deadlines.run(lambda: 7, 1.0) == 7


def _raise(error: Exception) -> None:
    raise error
