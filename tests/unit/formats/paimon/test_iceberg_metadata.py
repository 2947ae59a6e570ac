"""The location and the snapshot of a Paimon table's Iceberg metadata."""

from __future__ import annotations

from typing import Any

import pytest

from lakemuster.errors import FormatUnsupported
from lakemuster.formats.paimon.iceberg_metadata import iceberg_root, is_made_of, owner_root
from lakemuster.metadata.snapshot import Snapshot

STORAGE, PLACE = "metadata.iceberg.storage", "metadata.iceberg.storage-location"
TABLE = "s3://lake/wh/shop.db/orders"
APART = "s3://lake/wh/iceberg/shop/orders"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, None),
        ({STORAGE: "disabled", PLACE: "table-location"}, None),
        ({PLACE: "table-location"}, None),
        ({STORAGE: "table-location"}, TABLE),
        ({STORAGE: "TABLE-LOCATION"}, TABLE),
        ({STORAGE: "hadoop-catalog"}, APART),
        ({STORAGE: "hive-catalog"}, APART),
        ({STORAGE: "rest-catalog"}, APART),
        ({STORAGE: "hive-catalog", PLACE: "table-location"}, TABLE),
        ({STORAGE: "table-location", PLACE: "catalog-location"}, APART),
        ({"metadata.iceberg-compatible": "true"}, TABLE),
        ({"metadata.iceberg-compatible": "false"}, None),
        ({"metadata.iceberg-compatible": "true", STORAGE: "disabled"}, None),
    ],
)
def test_options_say_where(options: dict[str, str], expected: str | None) -> None:
    assert iceberg_root(TABLE, options) == expected


@pytest.mark.parametrize("root", ["s3://lake/shop/orders", "/orders", "s3://lake", "/wh/.db/orders", "shop.db/orders"])
def test_a_catalog_needs_a_warehouse(root: str) -> None:
    with pytest.raises(FormatUnsupported, match="needs a table of a warehouse"):
        iceberg_root(root, {STORAGE: "hadoop-catalog"})
    assert iceberg_root(root, {STORAGE: "table-location"}) == root


@pytest.mark.parametrize("options", [{STORAGE: "glue"}, {STORAGE: "table-location", PLACE: "moon"}])
def test_options_of_a_later_version_are_told(options: dict[str, str]) -> None:
    with pytest.raises(FormatUnsupported, match="has the unknown value"):
        iceberg_root(TABLE, options)


def test_the_table_of_a_folder_of_a_catalog() -> None:
    assert owner_root(APART) == owner_root(APART + "/") == TABLE
    for location in (TABLE, "iceberg/shop/orders", "/iceberg/shop", "s3://iceberg/shop/orders"):
        assert owner_root(location) is None or iceberg_root(str(owner_root(location)), {STORAGE: "hadoop-catalog"})


def snapshot(committed_at_ms: int = 1000, **extra: Any) -> Snapshot:
    return Snapshot(7, committed_at_ms, (), extra={"commit_user": "u", "commit_identifier": 3, **extra})


def view(committed_at_ms: int, identity: str | None = None) -> Snapshot:
    return Snapshot(7, committed_at_ms, (), summary={} if identity is None else {"paimon-commit-identity": identity})


def test_a_snapshot_is_known_by_its_commit() -> None:
    assert is_made_of(view(1000, "u:3:1000"), snapshot())
    assert not is_made_of(view(1000, "u:3:999"), snapshot())
    assert is_made_of(view(1000, "an uuid"), snapshot(uuid="an uuid"))
    assert not is_made_of(view(1000, "u:3:1000"), snapshot(uuid="an uuid"))


def test_an_older_writer_made_it_no_earlier_than_the_commit() -> None:
    assert is_made_of(view(1000), snapshot(1000))
    assert is_made_of(view(2000), snapshot(1000))
    assert not is_made_of(view(999), snapshot(1000))
