"""What servers and commands wait for when they open the index."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lakemuster.config import Settings
from lakemuster.errors import IndexUnavailable
from lakemuster.index.remote_folder import RemoteFolder
from lakemuster.ingest.opening import open_refresher
from lakemuster.ingest.shared_looks import NO_LIMITS, SERVER_WAITS


def test_a_segment_of_a_remote_store_is_waited_for_as_the_policy_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()
    monkeypatch.setattr(RemoteFolder, "get", lambda _folder, _key, _target: answers.wait(60))
    settings = Settings(
        database_url=f"sqlite:///{tmp_path}/index.db", segments_url="memory://segments", cache_dir=f"{tmp_path}/cache"
    )
    with closing(open_refresher(settings, replace(SERVER_WAITS, segment_stall=0.01))) as refresher:
        with pytest.raises(IndexUnavailable, match="has not arrived in time"):
            refresher.index.segments.open("ab" * 32)
        answers.set()


def test_commands_wait_longer_than_servers() -> None:
    assert SERVER_WAITS.segment_stall < 10
    assert NO_LIMITS.segment_stall == float("inf")
