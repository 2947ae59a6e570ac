"""The next refresh that writes segments removes the files of killed refreshes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from lakemuster.config import Settings
from lakemuster.ingest.engine import LEFT_BEHIND_SECONDS, LocalEngine, clear_leftovers
from lakemuster.main import build_services
from tests.unit.formats.iceberg.manifest_files import struct_of, table_of


def left(workspace: Path, name: str, seconds: float) -> Path:
    folder = workspace / name
    folder.mkdir()
    (folder / "segment.1-2.part").write_bytes(b"half")
    os.utime(folder, (time.time() - seconds,) * 2)
    return folder


def test_folders_that_nothing_was_written_to_for_a_day_are_removed(tmp_path: Path) -> None:
    old = left(tmp_path, "crawl-old", LEFT_BEHIND_SECONDS + 60)
    young = left(tmp_path, "crawl-young", LEFT_BEHIND_SECONDS - 60)
    other = left(tmp_path, "other", LEFT_BEHIND_SECONDS + 60)
    clear_leftovers(tmp_path)
    assert [folder.exists() for folder in (old, young, other)] == [False, True, True]


def test_a_refresh_clears_them_and_leaves_none_itself(tmp_path: Path) -> None:
    services = build_services(
        Settings(
            database_url=f"sqlite:///{tmp_path}/index.db",
            segments_url=f"{tmp_path}/segments",
            cache_dir=f"{tmp_path}/cache",
            roots=(str(tmp_path),),
            decoders=1,
        )
    )
    try:
        workspace = services.refresher.index.segments.workspace
        left(workspace, "crawl-old", LEFT_BEHIND_SECONDS + 60)
        engine = LocalEngine(services.refresher.pool, services.refresher.index.segments)
        assert list(engine.make_segments(services.store, table_of(struct_of()), [], None)) == []
        assert list(workspace.iterdir()) == []
    finally:
        services.close()
