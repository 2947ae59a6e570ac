"""First pages that are reused for a later snapshot equal newly computed ones, after any commit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import LongType

from benchmarks.generate import append_manifest, iceberg_table
from benchmarks.iceberg_deletes import append_deletes
from lakemuster.caching import MEMORY
from lakemuster.catalog.plan_page_cache import PageCache
from lakemuster.catalog.plan_response import PlanListing, PlanPage
from lakemuster.catalog.planning import plan_listing
from lakemuster.catalog.services import Services
from lakemuster.wire.native.plans import PlanOptions
from tests.apps import create_app
from tests.caches import memory_limit
from tests.contract.service.backends import catalog, settings

NAME = "db.t"
SIZES = (1, 3, 1000)
FILTERS = (None, "id < 40", "id >= 40 and id < 60", "p = 'a'", "p = 'b' and id > 70", "more is null", "id = 1000")
EXPRESSION = {"type": "lt", "term": "id", "value": 40}


@contextmanager
def services_of(folder: Path, table: str) -> Iterator[Services]:
    with catalog(settings(folder, roots=(str(folder / "lake"),), max_staleness=3600.0, history=0)) as services:
        services.add(NAME, table, None, (), operator=True)
        yield services


def first(pages: PageCache, listing: PlanListing, size: int) -> PlanPage:
    """Return a plan's first page as the server does: from the cache, or computed and cached as if requested before."""
    known = pages.find(listing, size)
    page = known or listing.page(None, size)
    if known is None:
        for _ in range(2):
            pages.put(listing, size, page)
    return page


def told(page: PlanPage) -> object:
    """Return a page whose buffers are bytes, for comparison."""
    return replace(page, files=bytes(page.files), deletes=bytes(page.deletes))


def check(services: Services, asked: list[PlanOptions]) -> int:
    """Check the first pages of all plans; return the number of pages reused from an earlier snapshot."""
    before = services.pages.reused
    view = services.view(NAME)
    for question in asked:
        listing = plan_listing(services, view, question, stale=None)
        for size in SIZES:
            assert told(first(services.pages, listing, size)) == told(listing.page(None, size)), (question, size)
    return services.pages.reused - before


def commit(table: Table, chosen: random.Random, kind: str) -> None:
    """Make a commit of a kind; added rows are at random among 100 ids and two partitions."""
    names = table.schema().column_names
    match kind:
        case "append":
            first, count = chosen.randrange(100), chosen.randrange(1, 12)
            ids = pa.array(range(first, first + count), pa.int64())
            columns = {"id": ids, "p": pa.array([chosen.choice("ab")] * count)}
            table.append(pa.table(columns | {name: ids for name in names if name not in columns}))
        case "overwrite":
            table.delete(f"id < {chosen.randrange(60)} and p = '{chosen.choice('ab')}'")
        case "schema":
            with table.update_schema() as schema:
                schema.add_column(f"more_{len(names)}", LongType())
        case "rename":
            with table.update_schema() as schema:
                schema.rename_column("more", "less") if "more" in names else schema.rename_column("less", "more")
        case "spec":
            with table.update_spec() as spec:
                name = f"b{len(table.spec().fields)}"
                spec.add_field("id", BucketTransform(2 + len(table.spec().fields)), name)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_reused_pages_are_equal_after_appends_overwrites_schemas_and_specs(tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/lake")
    iceberg.create_namespace("db")
    schema = pa.schema([("id", pa.int64()), ("p", pa.string()), ("more", pa.int64())])
    table = iceberg.create_table(NAME, schema, properties={"commit.manifest-merge.enabled": "false"})
    with table.update_spec() as spec:
        spec.add_field("p", IdentityTransform(), "p")
    commit(table, chosen, "append")
    kinds = chosen.sample(["append"] * 12 + ["overwrite"] * 3 + ["schema", "rename", "rename", "spec"], k=19)
    reused = 0
    with services_of(tmp_path, f"{tmp_path}/lake/db/t") as services:
        for kind in ["append", *kinds]:
            commit(table, chosen, kind)
            services.refresh(NAME)
            names = table.schema().column_names
            asked = [PlanOptions(filter=text) for text in FILTERS if "more" in names or "more" not in (text or "")]
            asked += [PlanOptions(filter=EXPRESSION), PlanOptions(filter=FILTERS[1], stats=["*"])]
            reused += check(services, asked)
    assert reused > 50


def test_reused_pages_are_equal_after_delete_files(tmp_path: Path) -> None:
    chosen, root = random.Random(4), tmp_path / "lake" / "t"
    iceberg_table(root, files=600, columns=12, manifests=6, level=1)
    texts = (None, "id >= 20000 and id < 60000", "user_id < 90000000", "price < -900")
    asked = [PlanOptions(filter=text) for text in texts]
    found: dict[str, int] = {}
    with services_of(tmp_path, str(root)) as services:
        services.refresh(NAME)
        check(services, asked)
        for kind in ["none", "append", "deletes", "append", "none", "deletes", "append", "append"]:
            if kind == "append":
                append_manifest(root, files=20)
            elif kind == "deletes":
                append_deletes(root, "positions", chosen.randrange(20, 200))
            services.refresh(NAME)
            found[kind] = found.get(kind, 0) + check(services, asked)
    assert found["append"] > 0
    # A new delete file may apply to any data file.
    assert found["deletes"] == 0


def test_pages_are_cached_within_the_budget(tmp_path: Path) -> None:
    root = tmp_path / "lake" / "t"
    iceberg_table(root, files=200, columns=12, manifests=4, level=1)
    with services_of(tmp_path, str(root)) as services:
        services.refresh(NAME)
        view = services.view(NAME)
        cache = PageCache()
        with memory_limit(2_000_000):
            for number in range(200):
                listing = plan_listing(services, view, PlanOptions(filter=f"user_id >= {number}"), stale=None)
                first(cache, listing, 20)
            assert 1 < len(cache._pages) < 200
            assert MEMORY.bytes <= MEMORY.limit


def test_the_cache_holds_the_page_of_a_response_only(tmp_path: Path) -> None:
    root = tmp_path / "lake" / "t"
    iceberg_table(root, files=200, columns=12, manifests=4, level=1)
    append_deletes(root, "positions", 50)
    with services_of(tmp_path, str(root)) as services:
        services.refresh(NAME)
        http, view = TestClient(create_app(services), base_url="http://127.0.0.1:8181"), services.view(NAME)
        for number, size in ((0, 1000), (0, 20), (10**12, 5)):
            text = f"user_id >= {number}"
            for _ in range(2):
                body = http.post(f"/api/v1/tables/{NAME}/plan", json={"filter": text, "page_size": size}).json()
            listing = plan_listing(services, view, PlanOptions(filter=text), stale=None)
            kept = services.pages.find(listing, size)
            assert kept is not None
            assert told(kept) == told(listing.page(None, size))
            assert len(body["files"]) == kept.rows
            assert bool(body["deletes"]) == (number == 0)
