"""Packing small manifests at publication opens fewer segments and does not change plans."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from benchmarks.generate import append_manifest, iceberg_table
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.errors import IndexUnavailable
from lakemuster.index import manifests, packed, snapshots
from lakemuster.index.segments import Segment, SegmentStore, sweep
from lakemuster.main import build_services
from lakemuster.planner.iceberg import details
from lakemuster.planner.scan.explain import explain
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_of, scan_index_over
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.planner.view import CURRENT
from lakemuster.predicates import TRUE
from tests.packing import pack_every

NAME, FILES, MANIFESTS = "packed.t", 600, 60
TEXTS = ("", "id >= 40000 and id < 90000", "code < 300000000", "price < -900", "user_id = 500000000")


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    pack_every(monkeypatch, 10, small=25)
    iceberg_table(tmp_path / "lake" / "t", files=FILES, columns=12, manifests=MANIFESTS, level=1)
    settings = Settings(
        database_url=f"sqlite:///{tmp_path}/index.db",
        segments_url=f"{tmp_path}/segments",
        cache_dir=f"{tmp_path}/cache",
        max_staleness=3600.0,
        roots=(str(tmp_path / "lake"),),
    )
    found = build_services(settings)
    found.add(NAME, str(tmp_path / "lake" / "t"), None, (), operator=True)
    found.refresh(NAME)
    yield found
    found.close()


def planned(services: Services, text: str, *, alone: bool) -> list[tuple[int, int, dict[str, Any]]]:
    """Return part, row and entry of a plan's files; ``alone`` reads each manifest from its own segment."""
    view = services.view(NAME, CURRENT)
    scan = scan_index_of(services.index, view)
    if alone:
        scan = scan_index_over(services.index, view, scan.data)
        for spec in scan.specs:
            names = [part.manifest.segment for part in spec.parts]
            vars(spec)["sources"] = tuple(
                packed.SegmentSource(name, 1, rows, name, rows)
                for name, rows in zip(names, spec.part_rows, strict=True)
            )
    found = Plan(scan, Filter(text or None).bound(view.schemas[0]), None)
    batches = [own for batch in found.batches() for own in batch.by_part()]
    return [
        (batch.number, row, {name: value for name, value in entry.items() if value is not None})
        for batch in batches
        for row, entry in zip(batch.rows.tolist(), batch.table.to_pylist(), strict=True)
    ]


def spec_of(services: Services) -> SpecIndex:
    (spec,) = scan_index_of(services.index, services.view(NAME, CURRENT)).specs
    return spec


@pytest.mark.parametrize("text", TEXTS)
def test_plans_equal_those_without_packing(services: Services, text: str) -> None:
    assert any(source.manifests > 1 for source in spec_of(services).sources)
    found = planned(services, text, alone=False)
    assert found == planned(services, text, alone=True)
    assert text or len(found) == FILES


@pytest.mark.parametrize("text", [*TEXTS, "code < 300000000 and price < -900"])
def test_an_explanation_counts_packed_entries_and_opens_no_single_manifest(
    services: Services, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = services.view(NAME, CURRENT)
    scan = scan_index_of(services.index, view)
    opened, of = set[str](), SegmentStore.open

    def noted(store: SegmentStore, name: str) -> Segment:
        opened.add(name)
        return of(store, name)

    monkeypatch.setattr(SegmentStore, "open", noted)
    explained = explain(scan, Filter(text or None).bound(view.schemas[0]))
    (spec,) = scan.specs
    assert opened <= {source.segment for source in spec.sources}
    entries = explained.levels[-1]
    assert entries.name == "entries"
    assert entries.kept == len(planned(services, text, alone=True))
    assert entries.seen >= entries.kept
    assert text or entries.dropped_by == {}


@pytest.mark.parametrize("seed", range(20))
def test_manifests_at_either_end_leave_other_runs_unchanged(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "PACKED_ROWS", 100)
    monkeypatch.setattr(packed, "SMALL", 25)
    chance = random.Random(seed)
    names, rows = [f"{seed}-{number}" for number in range(200)], chance.choices([9, 10, 11, 12], k=200)
    for first, end in ((60, 100), (40, 100), (40, 160), (0, 200)):
        now = {run.name for run in packed.runs_of(names[first:end], rows[first:end])}
        whole = {run.name for run in packed.runs_of(names, rows)}
        assert now <= whole


def test_a_commit_repacks_nothing_and_a_sweep_deletes_nothing_in_use(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, read = manifests.load_manifests, []

    def loaded(session: Session, ids: Iterable[int]) -> Any:
        read.extend(wanted := list(ids))
        return load(session, wanted)

    before = {source.segment for source in spec_of(services).sources if source.manifests > 1}
    append_manifest(Path(next(iter(services.settings.roots)), "t"), files=10)
    services.refresh(NAME)
    monkeypatch.setattr(snapshots, "load_manifests", loaded)
    now = {source.segment for source in spec_of(services).sources if source.manifests > 1}
    assert before <= now
    assert len(read) == 1
    assert len(now - before) <= 1
    assert sweep(services.index.database, services.index.segments, grace_seconds=-60).files == 0
    assert len(planned(services, "", alone=False)) == FILES + 10


def test_a_packed_segment_that_cannot_be_stored_leaves_no_file(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_store: SegmentStore, name: str, path: str | Path) -> None:
        raise IndexUnavailable("the segment store does not answer")

    (spec,) = scan_index_of(services.index, services.view(NAME, CURRENT)).specs
    segments = [part.manifest.segment for part in spec.parts]
    run = next(packed.runs_of(segments, spec.part_rows))
    monkeypatch.setattr(SegmentStore, "put", refuse)
    with pytest.raises(IndexUnavailable):
        packed.write_run(services.index, run, segments, spec.part_rows)
    assert list((tmp_path / "segments" / "tmp").iterdir()) == []


def test_entries_of_a_packed_batch_inherit_from_their_own_manifests(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(details, "MANY_EACH", 0)
    for _ in range(40):
        append_manifest(Path(next(iter(services.settings.roots)), "t"), files=10)
    services.refresh(NAME)
    scan = scan_index_of(services.index, services.view(NAME, CURRENT))
    everything = Plan(scan, TRUE)
    inherited, packed_batches = ("snapshot_id", "sequence_number", "file_sequence_number"), 0
    seen: set[int] = set()
    for batch in everything.batches():
        at = 0
        for source in batch.sources:
            whole = everything.whole(source).select(inherited).take(source.rows)
            assert whole.to_pylist() == batch.table.select(inherited).slice(at, len(source.rows)).to_pylist()
            at += len(source.rows)
            numbers = set(
                batch.table.column("sequence_number").slice(at - len(source.rows), len(source.rows)).to_pylist()
            )
            packed_batches += len(numbers) > 1
            seen |= numbers
    assert packed_batches
    assert len(seen) > 40
