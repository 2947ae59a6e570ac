"""A listing reveals tables by their metadata files at any depth; tables with known metadata are registered."""

from __future__ import annotations

from lakemuster.formats.table_signs import TableSigns, unregistered

LISTED = [
    "w/i/metadata/00001-abc.metadata.json",
    "w/i/metadata/00000-abc.gz.metadata.json",
    "w/i/data/x.parquet",
    "w/p/schema/schema-0",
    "w/p/branch/branch-b/schema/schema-1",
    "w/p/schema/schema-0.tmp",
    "w/odd/v1.metadata.json",
    "w/delta/_delta_log/000.json",
    "w/hudi/.hoodie/hoodie.properties",
    "w/plain/_delta_logs/x",
    "v9.metadata.json",
]


def found(known: set[str]) -> dict[str, str]:
    signs = TableSigns()
    assert len(signs.look_at(LISTED)) == len(signs.found)
    assert signs.look_at(LISTED) == []
    return dict(unregistered(signs.found, known, lambda folder: f"/lake{folder}"))


def test_every_table_shows() -> None:
    assert found(set()) == {
        "": "it looks like an Iceberg table that is not registered",
        "/w/i": "it looks like an Iceberg table that is not registered",
        "/w/odd": "it looks like an Iceberg table that is not registered",
        "/w/p": "it looks like a Paimon table that is not registered",
        "/w/delta": "it looks like a Delta Lake table, whose files cannot be told",
        "/w/hudi": "it looks like a Hudi table, whose files cannot be told",
    }


def test_tables_whose_metadata_is_known_are_registered() -> None:
    known = {"/lake/w/i/metadata", "/lake/w/p/schema", "/lake/w/p/branch/branch-b/schema", "/lake/w/odd", "/lake"}
    assert set(found(known)) == {"/w/delta", "/w/hudi"}
    assert "/w/p" in found(known - {"/lake/w/p/branch/branch-b/schema"})
