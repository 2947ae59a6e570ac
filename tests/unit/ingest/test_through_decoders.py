"""Small objects share a decoder task, and one that kills its process does not affect the others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.errors import CatalogError, DecodeFailed, IndexUnavailable, LimitExceeded, StorageUnavailable
from lakemuster.formats.avro import prepare_decoders
from lakemuster.index.segments import write_segment
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import BATCH_BYTES, BATCH_OBJECTS, through_decoders
from lakemuster.ingest.work import WrittenSegment, run_each, run_writing
from tests.unit.ingest import tasks


class Counting(DecoderPool):
    """A pool that records the number of objects of each task."""

    def submit(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.batches.append(len(args[0]))
        return super().submit(function, *args, **kwargs)

    batches: list[int]


@pytest.fixture
def pool() -> Iterator[Counting]:
    with Counting(1, 64 << 20, cpu_seconds=20, wall_seconds=60, prepare=prepare_decoders) as made:
        made.batches = []
        yield made


def decoded(pool: Counting, objects: Sequence[Any], task: Any) -> dict[int, Any]:
    return dict(through_decoders(pool, enumerate(objects), lambda _, data: partial(task, data)))


def test_small_objects_share_a_task(pool: Counting) -> None:
    objects = [b"x" * number for number in range(2 * BATCH_OBJECTS + 1)]
    assert decoded(pool, objects, tasks.length) == {number: number for number in range(len(objects))}
    assert pool.batches == [BATCH_OBJECTS, BATCH_OBJECTS, 1]


def test_a_large_object_ends_a_task(pool: Counting) -> None:
    large = bytes(BATCH_BYTES)
    assert decoded(pool, [large, large, b"", large, b""], tasks.length)[3] == BATCH_BYTES
    assert pool.batches == [1, 1, 2, 1]


@pytest.mark.parametrize(
    ("task", "message"),
    [(tasks.leave_if_bad, "ended before"), (tasks.fail_if_bad, "unexpected error"), (tasks.eat_if_bad, "memory")],
)
def test_an_object_that_ends_its_process_harms_no_other(pool: Counting, task: Any, message: str) -> None:
    found = decoded(pool, [b"one", b"bad", b"three"], task)
    assert isinstance(found[1], DecodeFailed)
    assert message in str(found[1])
    assert (found[0], found[2]) == (3, 5)
    assert pool.batches == [3, 1, 1, 1]


def test_a_refusal_is_that_of_its_object_and_needs_no_other_task(pool: Counting) -> None:
    found = decoded(pool, [b"one", b"bad", StorageUnavailable("gone"), b"four"], tasks.refuse_if_bad)
    assert isinstance(found[1], LimitExceeded)
    assert isinstance(found[2], StorageUnavailable)
    assert (found[0], found[3]) == (3, 4)
    assert pool.batches == [3]


def write(path: str) -> WrittenSegment:
    written = write_segment(pa.table({"a": [1]}), path, flush=False)
    return WrittenSegment(path, written.rows, written.bytes)


def test_segments_of_a_task_are_flushed_after_all_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[set[str]] = []
    monkeypatch.setattr(os, "fsync", lambda _: flushed.append({path.name for path in tmp_path.iterdir()}))
    outcomes = run_writing([partial(write, str(tmp_path / name)) for name in "abc"])
    assert [isinstance(one, WrittenSegment) for one in outcomes] == [True] * 3
    assert flushed == [{"a", "b", "c"}] * 3


def test_a_disk_that_does_not_flush_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(IndexUnavailable, match="No space left"):
        run_writing([partial(write, str(tmp_path / "a"))])


def test_outcomes_keep_the_order_of_their_tasks() -> None:
    outcomes: list[int | CatalogError] = run_each([partial(tasks.length, b"1"), partial(tasks.length, b"22")])
    assert outcomes == [1, 2]
