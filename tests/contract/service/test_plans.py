"""Plans of real tables: every way of requesting a plan gives the same files."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from lakemuster.errors import CatalogError, RequestInvalid
from lakemuster.metadata.files import column
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.metadata.values import json_value
from lakemuster.planner.iceberg.incremental import appends_between, plan_appends
from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.explain import explain
from lakemuster.planner.scan.paths import find
from lakemuster.planner.scan.plan import Plan, PlannedBatch
from lakemuster.planner.scan.scan_index import ScanIndex, scan_index_of
from lakemuster.planner.view import View
from lakemuster.predicates import TRUE, Bound, bind, leaves, text_of
from lakemuster.predicates.sql import parse_sql
from lakemuster.storage.locations import Rewrites
from tests.contract.service.backends import catalog, rows, settings

FILTERS_OF_A_TABLE = 12


@pytest.fixture(scope="module")
def services(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("plans")
    demo = unpack(folder / "demo")
    copy = folder / "lakes"
    shutil.copytree(lakes, copy, copy_function=shutil.copyfile)
    moved = [("data/persistent", str(copy / "iceberg"))]
    moved += [(name, str(copy / "iceberg/iceberg" / name)) for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    with catalog(settings(folder, max_staleness=3600.0, history=1)) as made:
        for root, rules in ((demo, ()), (copy, tuple(moved))):
            for _ in made.discover(str(root), None, rules, operator=True):
                pass
        yield made


def views(services: Services) -> Iterator[View]:
    for table in services.tables():
        try:
            view = services.view(table.name)
        except CatalogError:
            continue  # unreadable tables are covered elsewhere
        if view.snapshot is not None:
            yield view


def bounds_of(scan: ScanIndex, of: dict[int, Primitive]) -> dict[int, list[Any]]:
    """Return values from statistics and partitions, at which filters change their result."""
    found: dict[int, list[Any]] = {}
    for spec in scan.specs:
        for part in spec.parts[:5]:
            segment = scan.index.segments.open(part.manifest.segment)
            table = segment.table(None)
            for field_id, kind in of.items():
                for name in (column("lower", field_id), column("upper", field_id), column("partition", field_id)):
                    if name in table.column_names and table.schema.field(name).type == arrow_type(kind):
                        found.setdefault(field_id, []).extend(plain(table.column(name).drop_null().slice(0, 3)))
    return found


def plain(values: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_temporal(values.type):
        values = values.cast(pa.int32() if values.type.bit_width == 32 else pa.int64())
    found: list[Any] = values.to_pylist()
    return found


def literal(of: Primitive, value: Any) -> str | None:
    """Return a value as an SQL literal; None if it has none here."""
    match of.kind:
        case Kind.INT | Kind.LONG | Kind.DECIMAL | Kind.TINYINT | Kind.SMALLINT:
            return str(value)
        case Kind.FLOAT | Kind.DOUBLE:
            return repr(value) if np.isfinite(value) else None
        case Kind.STRING:
            return "'" + str(value).replace("'", "''") + "'"
        case Kind.BOOLEAN:
            return str(value).lower()
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return f"'{json_value(of, value)}'"
    return None


def filters(scan: ScanIndex, seed: int) -> Iterator[tuple[str, Bound]]:
    """Yield filters on columns with statistics, with constants from these statistics."""
    schema = scan.view.schemas[0]
    types = {i: p for i in schema.by_id if (p := schema.primitive(i)) is not None and "." not in schema.names[i]}
    found = bounds_of(scan, types)
    dice = random.Random(seed)
    atoms = [f'"{schema.names[i]}" is {negation}null' for i in list(types)[:6] for negation in ("", "not ")]
    for field_id, values in found.items():
        name = f'"{schema.names[field_id]}"'
        texts = [text for value in values if (text := literal(types[field_id], value)) is not None]
        for text in texts:
            atoms += [f"{name} {op} {text}" for op in ("=", "!=", "<", ">=")]
        if texts:
            atoms += [f"{name} in ({', '.join(texts[:4])})", f"{name} not in ({', '.join(texts[:2])})"]
    for _ in range(FILTERS_OF_A_TABLE):
        chosen = dice.sample(atoms, min(len(atoms), dice.randint(1, 3)))
        text = dice.choice([" and ", " or "]).join(chosen)
        yield text, bind(parse_sql(text), schema)


def paths(batches: Iterator[PlannedBatch]) -> list[str]:
    return [path for batch in batches for path in located(batch)]


def located(batch: PlannedBatch) -> list[str]:
    name = "file_path" if "file_path" in batch.table.column_names else "file_name"
    found: list[str] = batch.table.column(name).to_pylist()
    return found


@pytest.fixture(scope="module")
def cases(services: Services) -> list[tuple[ScanIndex, str, Bound]]:
    found = []
    for number, view in enumerate(views(services)):
        scan = scan_index_of(services.index, view)
        found += [(scan, text, bound) for text, bound in filters(scan, number)]
    assert len({scan.view.table.name for scan, _, _ in found}) > 20
    return found


def test_a_plan_without_a_filter_is_the_list_of_files(services: Services) -> None:
    for view in views(services):
        options = dict(view.schemas[0].options)
        unmerged = view.table.format == "paimon" and options.get("deletion-vectors.enabled") == "true"
        # In primary-key tables with deletion vectors, reads skip level 0, which is not compacted yet.
        data = [r for r in rows(lists.files(services.index, view, ["data"])) if not unmerged or r["level"] > 0]
        plan = Plan(scan_index_of(services.index, view), TRUE)
        assert sorted(p.rsplit("/", 1)[-1] for p in paths(plan.batches())) == sorted(
            row["file_path"].rsplit("/", 1)[-1] for row in data
        )
        assert plan.totals.files == len(data)
        assert plan.totals.records == sum(int(row["record_count"]) for row in data)
        assert plan.totals.bytes == sum(int(row["file_size_in_bytes"]) for row in data)
        assert plan.totals == plan.totals_of(plan.batches())


def test_some_filters_drop_some_files(cases: list[tuple[ScanIndex, str, Bound]]) -> None:
    everything = [Plan(scan, TRUE).totals.files for scan, _, _ in cases]
    kept = [Plan(scan, bound).totals.files for scan, _, bound in cases]
    assert sum(few < many for few, many in zip(kept, everything, strict=True)) > len(cases) / 4


def test_the_funnel_ends_with_the_plan(cases: list[tuple[ScanIndex, str, Bound]]) -> None:
    for scan, text, bound in cases:
        manifests, segments, zones, entries, *groups = explain(scan, bound).levels
        totals = Plan(scan, bound).totals
        assert (manifests.seen, manifests.kept) == (totals.manifests, totals.manifests_kept), text
        assert segments.seen == manifests.kept, text
        assert zones.kept <= zones.seen, text
        assert (groups or [entries])[-1].kept == totals.files, text
        assert all(group.seen == entries.kept for group in groups), text


def test_every_file_is_explained_as_it_was_planned(cases: list[tuple[ScanIndex, str, Bound]]) -> None:
    states = set()
    for scan, text, bound in cases:
        rewrites = Rewrites(scan.view.table.rewrites)
        everything = paths(Plan(scan, TRUE).batches())[:7]
        kept = set(paths(Plan(scan, bound).batches()))
        for reason in explain(scan, bound, [rewrites.apply(path) for path in everything]).files:
            name = reason.file_path.rsplit("/", 1)[-1]
            planned = any(path.rsplit("/", 1)[-1] == name for path in kept)
            assert reason.state == ("kept" if planned else "dropped"), (text, reason)
            assert reason.reasons
            if reason.state == "dropped":
                assert reason.dropped_by
                assert any(r.verdict == "cannot match" for r in reason.reasons), (text, reason)
            states.add((reason.state, reason.level))
    assert {("kept", None), ("dropped", "entries")} <= states
    assert explain(cases[0][0], TRUE, ["s3://nowhere/x.parquet"]).files[0].state == "absent"


def test_ranges_of_a_plan_together_are_the_plan(cases: list[tuple[ScanIndex, str, Bound]]) -> None:
    for scan, text, bound in cases:
        plan = Plan(scan, bound)
        for size in (1, 3, 1000):
            pieces = [path for start, end in plan.ranges(size) for path in paths(plan.batches(start, end))]
            assert pieces == paths(plan.batches()), text


def test_a_plan_continues_from_any_file(cases: list[tuple[ScanIndex, str, Bound]]) -> None:
    for scan, _, bound in cases[::5]:
        plan = Plan(scan, bound)
        whole = paths(plan.batches())
        at, read = Position(0, 0), 0
        while batch := next(plan.batches(at), None):
            first = batch.slice(0, 1)
            assert located(first) == [whole[read]]
            at, read = first.after, read + 1
        assert read == len(whole)


def test_limits_end_with_the_file_that_reaches_them(cases: list[tuple[ScanIndex, str, Bound]]) -> None:
    for scan, text, bound in cases[::3]:
        plan = Plan(scan, bound)
        whole = [batch.slice(n, 1) for batch in plan.batches() for n in range(len(batch.rows))]
        known = np.cumsum([int(file.surely_matching()[0]) for file in whole])
        for limit in (1, 5, 10**12):
            wanted = int(np.searchsorted(known, limit)) + 1
            assert paths(plan.limited(limit)) == paths(iter(whole))[:wanted], text


def test_deletes_are_rows_of_delete_files(services: Services) -> None:
    attached = 0
    for view in views(services):
        plan = Plan(scan_index_of(services.index, view), TRUE)
        for batch in plan.batches():
            numbers = np.unique(batch.deletes)
            found = [table for _, table in plan.delete_rows(numbers)]
            assert sum(table.num_rows for table in found) == len(numbers)
            assert all((np.asarray(table.column("content")) > 0).all() for table in found)
            attached += len(numbers)
    assert attached > 0


def test_an_incremental_plan_has_the_appended_files(services: Services) -> None:
    view = services.view("web.events")
    assert view.snapshot is not None
    snapshots = {r.snapshot.snapshot_id: r.snapshot for r in services.snapshots("web.events")[1]}
    chain = [view.snapshot.snapshot]
    while (parent := chain[-1].parent_id) is not None and parent in snapshots:
        chain.append(snapshots[parent])
    oldest = chain[-1]
    first = oldest.snapshot_id
    end, appends = services.followed("web.events", None, lambda known, last: appends_between(known, first, last))
    plan = plan_appends(services.index, appends, end, TRUE)
    added = [s.snapshot_id for s in chain[:-1] if s.operation == "append"]
    assert added
    assert plan.added_in == frozenset(added)
    recorded = sum(int(snapshots[number].summary["added-data-files"]) for number in added)
    assert plan.totals.files == recorded == len(set(paths(plan.batches())))
    with pytest.raises(RequestInvalid, match="not an ancestor"):
        services.followed("web.events", None, lambda known, last: appends_between(known, 1, last))


def test_the_text_of_a_residual_is_a_filter(cases: list[tuple[ScanIndex, str, Bound]]) -> None:
    seen = 0
    for scan, text, bound in cases[::4]:
        schema = scan.view.schemas[0]
        for batch in Plan(scan, bound).batches():
            for residual in batch.residuals:
                if residual != TRUE:
                    seen += 1
                    assert [*leaves(bind(parse_sql(text_of(residual)), schema))] == [*leaves(residual)], text
    assert seen


def test_files_are_found_by_their_locations(services: Services) -> None:
    looked_for = 0
    for view in views(services):
        scan = scan_index_of(services.index, view)
        rewrites = Rewrites(view.table.rewrites)
        is_iceberg = view.table.format == "iceberg"
        for spec in scan.specs:
            listed: dict[str, set[tuple[int, int]]] = {}
            for number, part in enumerate(spec.parts):
                segment = scan.index.segments.open(part.manifest.segment)
                recorded = segment.table(["file_path" if is_iceberg else "file_name"]).column(0).to_pylist()
                for row, name in enumerate(recorded):
                    for location in {name, rewrites.apply(name) if is_iceberg else f"/elsewhere/{name}"}:
                        listed.setdefault(location, set()).add((number, row))
            found: dict[str, set[tuple[int, int]]] = {}
            for location, number, row in find(scan, spec, [*listed, "s3://nowhere/x.parquet", ""]):
                found.setdefault(location, set()).add((number, row))
            assert found == listed, view.table.name
            looked_for += len(listed)
    assert looked_for > 300
