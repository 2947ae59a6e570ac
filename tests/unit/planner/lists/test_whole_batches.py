"""Unfiltered batches of a segment give the same rows as filtering every entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Literal, cast

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.catalog.listings import RowListing
from lakemuster.index import mapped_segment, segment_files
from lakemuster.index.segments import Segment, write_segment
from lakemuster.metadata.files import ADDED, DELETED, EXISTING, ICEBERG_COLUMNS
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.planner.iceberg import rows as iceberg_rows
from lakemuster.planner.iceberg.rows import IcebergRows
from lakemuster.planner.lists import entries
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.row_projection import CONTENTS, ManifestPart, RequestedColumns
from lakemuster.planner.rows import Position, conform
from lakemuster.wire.row_writer import RowWriter
from tests.examples import examples

BATCH = 4
CONTENT: list[Literal["data", "deletes"]] = ["data", "data", "deletes"]
numbers = st.none() | st.integers(0, 3)
VIEW: Any = SimpleNamespace(
    metadata=SimpleNamespace(specs=(PartitionSpec(0, ()),)),
    schemas=(),
    names={},
    table=SimpleNamespace(rewrites=(), incarnation=None),
    snapshot_id=1,
)


class Looking(IcebergRows):
    """Iceberg's rows with filtering of every entry."""

    def takes_whole(self, view: object, part: ManifestPart, segment: Segment) -> bool:
        return False


@pytest.fixture(autouse=True, scope="module")
def _small_batches() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_files, "BATCH_ROWS", BATCH)
        patch.setattr(mapped_segment, "BATCH_ROWS", BATCH)
        patch.setattr(entries, "BATCH_ROWS", BATCH)
        yield


@st.composite
def manifests(draw: st.DrawFn) -> tuple[pa.Table, ManifestPart]:
    """Draw entries as a segment has them, and their manifest."""
    rows, content = draw(st.integers(0, 3 * BATCH)), draw(st.sampled_from(CONTENT))
    codes = st.just(0) if content == "data" else st.sampled_from([1, 2])
    statuses = draw(st.sampled_from([[ADDED], [ADDED], [ADDED, EXISTING], [EXISTING, ADDED, DELETED]]))
    values: dict[str, st.SearchStrategy[Any]] = {
        "status": st.sampled_from(statuses),
        "snapshot_id": numbers,
        "sequence_number": numbers,
        "file_sequence_number": draw(st.sampled_from([numbers, st.just(2)])),
        "content": codes,
        "file_path": st.sampled_from(["/a", "/b"]),
        "file_format": draw(st.sampled_from([st.just("PARQUET"), st.sampled_from(["Parquet", "orc"]), st.just("İ")])),
        "record_count": st.integers(0, 9),
        "first_row_id": numbers,
    }
    left_out = {"content"} if content == "data" else set()
    left_out |= {"snapshot_id", "sequence_number", "file_sequence_number", "first_row_id"}
    missing = draw(st.sets(st.sampled_from(sorted(left_out))))
    columns = {
        name: pa.array(draw(st.lists(of, min_size=rows, max_size=rows)), ICEBERG_COLUMNS[name])
        for name, of in values.items()
        if name not in missing
    }
    header = header_of(
        content,
        sequence_number=draw(numbers),
        added_snapshot_id=draw(numbers),
        first_row_id=draw(st.none() | st.just(100)) if content == "data" else None,
    )
    part = ManifestPart(cast("Any", SimpleNamespace(segment="s", header=header)))
    return pa.table(columns), part


def header_of(content: Literal["data", "deletes"], **given: int | None) -> ManifestHeader:
    """Return a row of a manifest list."""
    return replace(ManifestHeader("/m", 1, content, 0), **cast("dict[str, Any]", given))


WANTED = st.builds(
    RequestedColumns,
    status=st.booleans(),
    contents=st.none() | st.sets(st.sampled_from(CONTENTS), min_size=1).map(frozenset),
    manifest=st.booleans(),
)


@settings(max_examples=examples(300), deadline=None)
@given(manifests(), WANTED, st.integers(0, 3 * BATCH), st.sampled_from([2, 3, BATCH, 100]))
def test_rows_are_the_same(
    made: tuple[pa.Table, ManifestPart], wanted: RequestedColumns, offset: int, batch_rows: int
) -> None:
    table, part = made
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s"
        write_segment(table, path)
        segment = Segment("s", path)
        index: Any = SimpleNamespace(segments=SimpleNamespace(open=lambda _: segment))
        found = []
        for shape in (IcebergRows(VIEW, wanted), Looking(VIEW, wanted)):
            source = EntrySource("files", index, VIEW, (part,), shape, batch_rows)
            batches = list(source.batches(Position(0, offset)))
            places = [position.offset + row for position, batch in batches for row in range(batch.num_rows)]
            rows = [row for _, batch in batches for row in conform(batch, shape.schema).to_pylist()]
            found.append(list(zip(places, rows, strict=True)))
        assert found[0] == found[1]


class _Index:
    """An index of segments in memory."""

    def __init__(self, segments: Mapping[str, Segment]) -> None:
        self.segments = SimpleNamespace(open=segments.__getitem__)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(manifests(), min_size=1, max_size=3), WANTED, st.integers(1, 2 * BATCH))
def test_pages_are_the_same(made: list[tuple[pa.Table, ManifestPart]], wanted: RequestedColumns, size: int) -> None:
    with TemporaryDirectory() as folder:
        segments = {}
        parts = []
        for number, (table, part) in enumerate(made):
            write_segment(table, Path(folder) / str(number))
            segments[str(number)] = Segment(str(number), Path(folder) / str(number))
            manifest: Any = SimpleNamespace(segment=str(number), id=number, header=part.manifest.header)
            parts.append(ManifestPart(manifest))
        index: Any = _Index(segments)
        found = []
        for shape in (IcebergRows(VIEW, wanted), Looking(VIEW, wanted)):
            listing = RowListing(EntrySource("files", index, VIEW, tuple(parts), shape, BATCH))
            pages = [listing.page(None, size)]
            while pages[-1].after is not None:
                pages.append(listing.page(pages[-1].after, size))
            found.append([(page.items, page.after) for page in pages])
        assert found[0] == found[1]


def test_a_page_that_ends_with_a_manifest_builds_no_row_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not RowWriter.is_available():
        pytest.skip("rows are cached with compiled kernels only")
    table = pa.table({"status": pa.array([ADDED] * BATCH, pa.int8()), "file_path": [*"abcd"]})
    write_segment(table, tmp_path / "s")
    segment = Segment("s", tmp_path / "s")
    index: Any = _Index({"0": segment, "1": segment})
    parts = [
        ManifestPart(cast("Any", SimpleNamespace(segment=str(n), id=n, header=header_of("data")))) for n in range(2)
    ]
    listing = RowListing(EntrySource("files", index, VIEW, tuple(parts), IcebergRows(VIEW, RequestedColumns()), BATCH))

    def pages() -> Iterator[object]:
        page = listing.page((0, 0), BATCH // 2)
        while page.after is not None:
            yield page.after
            page = listing.page(page.after, BATCH // 2)

    assert [*pages()] == [(0, 2), (1, 0), (1, 2)]
    monkeypatch.delattr(IcebergRows, "rows")
    assert [*pages()] == [(0, 2), (1, 0), (1, 2)]


def test_a_constant_text_column_is_lowercased_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pa.array(["PARQUET"] * BATCH)
    small = iceberg_rows._in_small_letters(texts)
    monkeypatch.delattr(pc, "utf8_lower")
    assert iceberg_rows._in_small_letters(texts) == small == pa.array(["parquet"] * BATCH)


def test_batches_of_live_entries_are_unfiltered(tmp_path: Path) -> None:
    part = ManifestPart(cast("Any", SimpleNamespace(segment="s", header=header_of("data"))))
    for last, is_whole in ((ADDED, True), (EXISTING, True), (DELETED, False)):
        table = pa.table({"status": pa.array([ADDED, last], pa.int8()), "file_path": ["/a", "/b"]})
        write_segment(table, tmp_path / "s")
        assert IcebergRows(VIEW, RequestedColumns()).takes_whole(VIEW, part, Segment("s", tmp_path / "s")) is is_whole
