"""The composition root."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from lakemuster.caching import MEMORY
from lakemuster.config import load_settings
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
