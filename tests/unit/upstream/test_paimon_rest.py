"""A Paimon REST catalog: pages, its prefix, kinds of tables, snapshots, and invalid responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import TableNotFound, UpstreamFailed
from lakemuster.upstream.paimon_rest import CONFIG_SECONDS, PaimonRestCatalog
from tests.clocks import SteppedClock
from tests.fake_paimon_rest import TOKEN, FakePaimonRest, PaimonTable, fake_paimon_rest


@pytest.fixture
def fake() -> Iterator[FakePaimonRest]:
    with fake_paimon_rest() as running:
        for number in range(5):
            running.tables["a db", f"t{number}"] = PaimonTable(f"s3://lake/{number}/", number or None)
        running.tables["a db", "files"] = PaimonTable("s3://lake/files", None, "format-table")
        running.tables["b+~", "t/x"] = PaimonTable("s3://lake/x")
        yield running


def attached(fake: FakePaimonRest, clock: SteppedClock | None = None, **changes: Any) -> PaimonRestCatalog:
    told = {
        "type": "paimon",
        "metastore": "rest",
        "uri": fake.uri,
        "warehouse": "a warehouse",
        "token": TOKEN,
        **changes,
    }
    return PaimonRestCatalog("prod", CatalogSettings.model_validate(told), clock or SteppedClock())


def test_every_page_is_listed_and_only_tables_of_paimons_own_kind_are(fake: FakePaimonRest) -> None:
    expected = [("a db", f"t{number}") for number in range(5)]
    assert list(attached(fake).every_table()) == [*expected, ("b+~", "t/x")]
    assert fake.asked[0] == "/v1/config?warehouse=a+warehouse"
    assert fake.asked[1] == "/v1/lake+one/databases?maxResults=1000"
    assert fake.asked[2] == "/v1/lake+one/databases/a+db/tables?tableType=table&maxResults=1000"


def test_a_pointer_is_the_path_and_the_catalog_says_which_snapshot_is_newest(fake: FakePaimonRest) -> None:
    catalog = attached(fake)
    assert (catalog.pointer(("a db", "t3")), catalog.newest_snapshot(("a db", "t3"))) == ("s3://lake/3", 3)
    assert catalog.newest_snapshot(("a db", "t0")) == 0
    assert catalog.pointer(("b+~", "t/x")) == "s3://lake/x"
    for missing in (("a db", "none"), ("none", "t1"), ("a db", "files"), ("a db", "t1$branch_x"), ("t1",)):
        with pytest.raises(TableNotFound):
            catalog.pointer(missing)
    with pytest.raises(TableNotFound):
        catalog.newest_snapshot(("none", "t1"))


def test_a_database_that_goes_meanwhile_has_no_tables(fake: FakePaimonRest) -> None:
    gone = {"resourceType": "DATABASE", "resourceName": "x", "message": "m", "code": 404}
    fake.fault = lambda path: (404, gone) if path.endswith("a+db/tables") else None
    assert list(attached(fake).every_table()) == [("b+~", "t/x")]


def test_the_configuration_is_asked_for_again_after_a_while(fake: FakePaimonRest) -> None:
    clock = SteppedClock()
    catalog = attached(fake, clock)
    for _ in range(3):
        catalog.pointer(("a db", "t1"))
    assert sum("config" in path for path in fake.asked) == 1
    clock.pass_seconds(CONFIG_SECONDS + 1)
    catalog.pointer(("a db", "t1"))
    assert sum("config" in path for path in fake.asked) == 2


@pytest.mark.parametrize(
    ("within", "reply"),
    [
        ("config", (200, {"overrides": [1]})),
        ("config", (200, [])),
        ("databases", (200, {})),
        ("databases", (200, {"databases": 7})),
        ("databases", (200, {"databases": ["d"], "nextPageToken": 7})),
        ("databases", (200, {"databases": [None]})),
        ("tables", (200, {"tables": [{"name": "t"}]})),
        ("tables", (200, {"tables": [""]})),
        ("databases", (200, {"databases": ["d"], "nextPageToken": "same"})),
        ("tables", (404, {"code": 404})),
        ("tables", (500, b"no")),
        ("tables", (200, b"{")),
        ("tables", (302, {})),
        ("config", (401, {})),
    ],
)
def test_an_answer_that_is_not_the_protocols_fails_the_listing(
    fake: FakePaimonRest, within: str, reply: tuple[int, object]
) -> None:
    fake.fault = lambda path: reply if path.endswith(within) else None
    with pytest.raises(UpstreamFailed) as failed:
        list(attached(fake).every_table())
    assert TOKEN not in str(failed.value)


@pytest.mark.parametrize(
    "document",
    [{}, {"snapshot": None}, *({"snapshot": {"snapshot": {"id": number}}} for number in ("3", True, 2**63, 0))],
)
def test_a_snapshot_without_an_id_is_the_catalogs_fault(fake: FakePaimonRest, document: object) -> None:
    fake.fault = lambda path: (200, document) if path.endswith("/snapshot") else None
    with pytest.raises(UpstreamFailed):
        attached(fake).newest_snapshot(("a db", "t3"))


def test_a_type_that_is_no_text_is_the_catalogs_fault(fake: FakePaimonRest) -> None:
    document = {"path": "s3://lake/3", "schema": {"options": {"type": ["table"]}}}
    fake.fault = lambda path: (200, document) if path.endswith("/t3") else None
    with pytest.raises(UpstreamFailed, match="type"):
        attached(fake).pointer(("a db", "t3"))


@pytest.mark.parametrize("document", [{}, {"path": 7}, {"path": ""}, {"schema": 7}, {"schema": {"options": 7}}])
def test_a_table_without_a_path_is_the_catalogs_fault(fake: FakePaimonRest, document: object) -> None:
    fake.fault = lambda path: (200, document) if path.endswith("/t3") else None
    with pytest.raises(UpstreamFailed, match="no path"):
        attached(fake).pointer(("a db", "t3"))
