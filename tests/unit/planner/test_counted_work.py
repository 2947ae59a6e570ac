"""Counts of a plan's work: a guard, independent of clocks, against plans whose cost grows with the table."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.generate import append_manifest, iceberg_table
from benchmarks.iceberg_deletes import append_deletes
from benchmarks.paimon_table import paimon_table
from lakemuster.caching import MEMORY
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.plan_response import PlanListing, PlanPage
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.index.segments import Segment
from lakemuster.main import build_services
from lakemuster.planner.deletes.deletes import DeleteIndex
from lakemuster.planner.rows import START, Position
from lakemuster.planner.scan import packs, planned_entries
from lakemuster.planner.scan import plan as plans
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.planned_entries import BatchFiles
from lakemuster.planner.scan.scan_index import scan_index_of
from lakemuster.planner.scan.tasks import cut, part
from tests.caches import memory_limit
from tests.contract.service.test_reused_pages import first

FILES, MANIFESTS = 40_000, 20
ZONE = 1024
PACK = 4096
LARGEST_PACK = 4 * PACK * MANIFESTS // FILES + 1
"""The size of the largest pack, in manifests."""

NAME = "b.t"


class Work:
    """Counters of evaluated entries, and of columns and bytes read from segments."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: Counter[str] = Counter()
        self.segments: set[str] = set()
        asked, table, batch, rows = packs.PackPredicate.matching, Segment.table, Segment.batch, Segment.rows
        counts, segments = self.counts, self.segments

        def kept(predicate: packs.PackPredicate, pack: packs.Pack, spans: Sequence[slice] | None) -> packs.RowNumbers:
            counts["entries"] += pack.rows if spans is None else sum(span.stop - span.start for span in spans)
            return asked(predicate, pack, spans)

        def note(segment: Segment, found: pa.Table) -> pa.Table:
            segments.add(segment.name)
            counts["columns"] += found.num_columns
            counts["bytes"] += found.nbytes
            return found

        monkeypatch.setattr(packs.PackPredicate, "matching", kept)
        monkeypatch.setattr(Segment, "table", lambda segment, columns=None: note(segment, table(segment, columns)))
        monkeypatch.setattr(Segment, "rows", lambda segment, a, b, columns: note(segment, rows(segment, a, b, columns)))
        monkeypatch.setattr(Segment, "batch", lambda segment, at, columns: note(segment, batch(segment, at, columns)))

    def clear(self) -> None:
        """Reset all counters."""
        self.counts.clear()
        self.segments.clear()


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    root = tmp_path_factory.mktemp("counted")
    iceberg_table(root / "lake" / "t", files=FILES, columns=12, manifests=MANIFESTS, level=1)
    with contextlib.closing(indexed(root, root / "lake" / "t")) as found:
        yield found


def indexed(root: Path, table: Path) -> Services:
    """Return services with an index in a folder, with a table indexed."""
    settings = Settings(
        database_url=f"sqlite:///{root}/index.db",
        segments_url=f"{root}/segments",
        cache_dir=f"{root}/cache",
        max_staleness=3600.0,
        roots=(str(root / "lake"),),
    )
    found = build_services(settings)
    found.add(NAME, str(table), None, (), operator=True)
    found.refresh(NAME)
    return found


@pytest.fixture(autouse=True)
def _small_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use packs of about two manifests; their limits depend on segment names, which differ between runs."""
    monkeypatch.setattr(packs, "PACK_ROWS", PACK)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(monkeypatch)


def plan(services: Services, text: str) -> Plan:
    view = services.view(NAME)
    return Plan(scan_index_of(services.index, view), Filter(text).bound(view.schemas[0]))


def files(services: Services, text: str) -> int:
    return sum(len(batch.rows) for batch in plan(services, text).batches())


def test_a_selective_plan_opens_the_segments_of_its_packs_only(services: Services, work: Work) -> None:
    # In the first plan, zones come from the ends of the other segments, which are not opened.
    assert files(services, "id >= 11000000 and id < 11400000") == 400
    assert len(work.segments) <= LARGEST_PACK
    assert work.counts["entries"] <= 2 * ZONE


@pytest.mark.parametrize(("primary_key", "segments"), [(False, 3), (True, 15)], ids=["appended", "keyed"])
def test_a_selective_paimon_plan_opens_the_segments_of_its_packs_only(
    primary_key: bool, segments: int, tmp_path: Path, work: Work
) -> None:
    paimon_table(
        tmp_path / "lake" / "db.db" / "t", files=FILES, columns=4, manifests=MANIFESTS, primary_key=primary_key
    )
    with contextlib.closing(indexed(tmp_path, tmp_path / "lake" / "db.db" / "t")) as services:
        work.clear()
        assert 300 <= files(services, "id >= 11000000 and id < 11400000") <= 600
    # Where files are merged, those of a bucket are evaluated together.
    assert len(work.segments) <= segments
    assert work.counts["entries"] <= 4 * ZONE


def test_a_plan_without_zone_pruning_reads_each_column_once(services: Services, work: Work) -> None:
    assert files(services, "user_id = 500000000")
    work.clear()
    assert files(services, "code = 500000000") <= 1
    assert work.counts["entries"] == FILES
    first = work.counts["columns"]
    assert first
    work.clear()
    assert files(services, "code = 500002000") <= 1
    assert work.counts["entries"] == FILES
    # From cached packs, only rows of files and bounds of ties are read.
    assert work.counts["bytes"] < 200_000


def test_values_of_in_do_not_multiply_the_work(services: Services, work: Work) -> None:
    files(services, "code in (1, 2)")
    found = []
    for count in (200, 20_000):
        work.clear()
        text = f"code in ({','.join(str(7 + 50_000 * number) for number in range(count))})"
        asked = plan(services, text)
        list(asked.survivors.candidates(asked.scan))
        files(services, text)
        found.append(work.counts["entries"])
    assert found == [FILES, FILES]


def test_tasks_evaluate_each_entry_once_in_total(services: Services, work: Work) -> None:
    whole = plan(services, "user_id > 5000")
    keys = list(cut(whole, 100))
    assert len(keys) >= FILES // 100
    work.clear()
    found = sum(len(batch.rows) for key in keys for batch in part(whole, key).batches())
    assert work.counts["entries"] <= 1.1 * FILES
    assert found == sum(len(batch.rows) for batch in whole.batches())


@pytest.mark.parametrize("memory", [0, MEMORY.limit])
@pytest.mark.parametrize("text", ["user_id > 5000", "code < 100000000", "id >= 11000000 and price < 100"])
def test_ranges_of_a_plan_add_up_to_the_plan(services: Services, text: str, memory: int) -> None:
    whole = plan(services, text)
    files_of = FILES // MANIFESTS
    cuts = [Position(p, o) for p in range(MANIFESTS) for o in (0, 1, 1023, 1024, files_of - 1, files_of)]

    def found(start: Position, end: Position | None) -> list[tuple[int, int]]:
        with memory_limit(memory):
            own = itertools.chain.from_iterable(batch.by_part() for batch in whole.batches(start, end))
            return [(batch.number, row) for batch in own for row in batch.rows.tolist()]

    ranges = itertools.pairwise([START, *cuts[1:], None])
    parts = [found(start, end) for start, end in ranges if start is not None]
    assert list(itertools.chain(*parts)) == found(START, None)


def test_scattered_files_are_few_batches(services: Services) -> None:
    batches = list(plan(services, "price < -900").batches())
    places = [(own.number, row) for batch in batches for own in batch.by_part() for row in own.rows.tolist()]
    assert len(places) > FILES // 40
    assert places == sorted(set(places))
    # The first batch has a thousand files, the next up to a batch's maximum, from all manifests.
    assert len(batches) <= 2


def test_entries_are_gathered_once_and_only_when_read(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    table_of, made = planned_entries.table_of, list[int]()

    def counted(group: Sequence[BatchFiles]) -> pa.Table:
        made.append(sum(len(piece.rows) for piece in group))
        return table_of(group)

    monkeypatch.setattr(plans, "table_of", counted)
    batches = list(plan(services, "price < -900").batches())
    assert not made
    files = [len(batch.rows) for batch in batches]
    for batch in batches:
        assert batch.slice(1).table.num_rows == batch.entries.recorded.num_rows - 1 == batch.table.num_rows - 1
    assert made == files


def test_a_commit_costs_its_own_manifest(services: Services, work: Work) -> None:
    files(services, "code = 500000000")
    root = Path(next(iter(services.settings.roots)), "t")
    append_manifest(root, files=300)
    before = services.store.counts.reads
    report = services.refresh(NAME)
    assert (report.manifests_fetched, report.entries_decoded) == (1, 300)
    assert services.store.counts.reads - before <= 5
    work.clear()
    assert files(services, "code = 500001000") <= 2
    assert work.counts["entries"] == FILES + 300
    # The columns of the new manifest and of its pack are read.
    assert len(work.segments) <= LARGEST_PACK + 1


def test_deletes_of_whole_batches_are_matched_once(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(next(iter(services.settings.roots)), "t")
    append_deletes(root, "positions", 800)
    services.refresh(NAME)
    match, asked = DeleteIndex.match, []

    def counted(index: DeleteIndex, spec_id: int, table: pa.Table) -> Any:
        asked.append(table.num_rows)
        return match(index, spec_id, table)

    monkeypatch.setattr(DeleteIndex, "match", counted)
    live = files(services, "id >= 0")
    assert sum(asked) == live
    for text in ("id >= 0", "user_id > 5000", "id >= 11000000 and id < 11020000"):
        asked.clear()
        batches = list(plan(services, text).batches())
        assert sum(asked) <= 300  # the appended manifest, and a few files
        for batch in batches:
            index = plan(services, text).scan.delete_index
            assert index is not None
            offsets, numbers = match(index, batch.part.manifest.header.spec_id, batch.table)
            assert offsets.tolist() == batch.delete_offsets.tolist()
            assert numbers.tolist() == batch.deletes.tolist()


def test_a_repeated_filter_after_a_commit_evaluates_new_entries_only(services: Services, work: Work) -> None:
    texts = ["id >= 11000000 and id < 11400000", "user_id < 90000000", "price < -900 and code < 500000000"]

    def asked(text: str) -> PlanPage:
        return first(services.pages, PlanListing(plan(services, text), Filter(text), 0), 100)

    known = [asked(text) for text in texts]
    append_manifest(Path(next(iter(services.settings.roots)), "t"), files=300)
    services.refresh(NAME)
    for text, before in zip(texts, known, strict=True):
        work.clear()
        reused, page = services.pages.reused, asked(text)
        assert page.totals.manifests == before.totals.manifests + 1
        if services.pages.reused > reused:
            assert page.files == before.files
        if text is texts[0]:
            # Zones drop the new manifest entirely; they are computed for it and for small manifests next to it.
            assert services.pages.reused > reused
            assert not work.counts["entries"]
            assert len(work.segments) <= 2
            assert work.counts["bytes"] < 40_000
