"""Refreshes that write segments: the files of killed ones, and disks without room."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.demo.synthetic_table import SyntheticTable
from lakemuster.errors import IndexUnavailable
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import LEFT_BEHIND_SECONDS, LocalEngine, clear_leftovers
from lakemuster.ingest.work import run_writing
from lakemuster.main import build_services
from tests.unit.formats.iceberg.manifest_files import struct_of, table_of


def left(workspace: Path, name: str, seconds: float) -> Path:
    folder = workspace / name
    folder.mkdir()
    (folder / "segment.1-2.part").write_bytes(b"half")
    os.utime(folder, (time.time() - seconds,) * 2)
    return folder


def test_what_nothing_was_written_to_for_a_day_is_removed(tmp_path: Path) -> None:
    segment = "ab" * 32
    files = [f"{segment}.1-2.part", f"{segment}-{'c' * 32}.arrow", "notes.txt"]
    for name in files:
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (time.time() - LEFT_BEHIND_SECONDS - 60,) * 2)
    (tmp_path / f"{segment}.3-4.part").write_bytes(b"being written")
    for name in ("crawl-old", "verify-old", "other"):
        left(tmp_path, name, LEFT_BEHIND_SECONDS + 60)
    left(tmp_path, "crawl-young", LEFT_BEHIND_SECONDS - 60)
    clear_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {f"{segment}.3-4.part", "crawl-young", "notes.txt", "other"}


def services_of(folder: Path) -> Services:
    return build_services(
        Settings(
            database_url=f"sqlite:///{folder}/index.db",
            segments_url=f"{folder}/segments",
            cache_dir=f"{folder}/cache",
            roots=(str(folder),),
            decoders=1,
        )
    )


def put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_a_refresh_clears_them_and_leaves_none_itself(tmp_path: Path) -> None:
    services = services_of(tmp_path)
    try:
        workspace = services.refresher.index.segments.workspace
        left(workspace, "crawl-old", LEFT_BEHIND_SECONDS + 60)
        engine = LocalEngine(services.refresher.pool, services.refresher.index.segments)
        assert list(engine.make_segments(services.store, table_of(struct_of()), [], None)) == []
        assert list(workspace.iterdir()) == []
    finally:
        services.close()


@pytest.mark.parametrize("has_copies", [True, False])
def test_segments_that_found_no_room_are_made_again_if_copies_were_evicted(
    has_copies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = services_of(tmp_path)
    lake = SyntheticTable(f"{tmp_path}/table", lambda path, data: put(tmp_path / "table" / path, data))
    for _ in range(2):
        lake.add_manifest(3)
    lake.commit()
    tasks: list[int] = []
    submit = DecoderPool.submit

    def full_at_first(pool: DecoderPool, function: Any, *args: Any, **named: Any) -> Any:
        if function is not run_writing:
            return submit(pool, function, *args, **named)
        tasks.append(len(args[0]))
        if len(tasks) > 1:
            return submit(pool, function, *args, **named)
        full: Future[Any] = Future()
        full.set_result([IndexUnavailable("cannot write a segment: No space left on device") for _ in args[0]])
        return full

    monkeypatch.setattr(DecoderPool, "submit", full_at_first)
    monkeypatch.setattr(SegmentStore, "make_room", lambda _: has_copies)
    try:
        services.add("a.t", f"{tmp_path}/table", None, (), operator=True)
        with nullcontext() if has_copies else pytest.raises(IndexUnavailable, match="No space"):
            assert services.refresh("a.t").published == ("1",)
        assert tasks == ([2, 2] if has_copies else [2])
    finally:
        services.close()
