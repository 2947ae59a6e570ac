"""Schemas in the protocol's JSON round-trip from Paimon's schema files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.table_metadata import parse_schema
from lakemuster.wire.paimon_rest.schemas import schema_json

Json = dict[str, object]

ATOMIC = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(38, 18)",
    "CHAR(3)",
    "VARCHAR(20)",
    "STRING",
    "BINARY(4)",
    "VARBINARY(9)",
    "BYTES",
    "DATE",
    "TIME(0)",
    "TIMESTAMP(9)",
    "TIMESTAMP(3) WITH LOCAL TIME ZONE",
    "VARIANT",
    "BLOB",
    "GEOMETRY",
]


def nulls(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([text, f"{text} NOT NULL"])


def nested(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    fields = st.lists(inner, min_size=1, max_size=3).map(
        lambda types: [{"id": 50 + number, "name": f"f{number}", "type": of} for number, of in enumerate(types)]
    )
    return st.one_of(
        st.fixed_dictionaries({"type": nulls("ARRAY"), "element": inner}),
        st.fixed_dictionaries({"type": nulls("MULTISET"), "element": inner}),
        st.fixed_dictionaries({"type": nulls("MAP"), "key": inner, "value": inner}),
        st.fixed_dictionaries({"type": nulls("ROW"), "fields": fields}),
        st.fixed_dictionaries({"type": nulls("VECTOR"), "element": nulls("FLOAT"), "length": st.integers(1, 4096)}),
    )


types = st.recursive(st.sampled_from(ATOMIC).flatmap(nulls), nested, max_leaves=6)


@given(types=st.lists(types, min_size=1, max_size=5), comment=st.none() | st.text(max_size=5))
def test_columns_are_written_as_they_were_read(types: list[object], comment: str | None) -> None:
    fields: list[Json] = [
        {"id": number, "name": f"c{number}", "type": of, "description": "what it is", "defaultValue": "1"}
        for number, of in enumerate(types)
    ]
    document = {
        "version": 3,
        "id": 7,
        "fields": fields,
        "partitionKeys": ["c0"],
        "primaryKeys": [],
        "options": {"bucket": "2", "path": "/elsewhere"},
        "comment": comment,
    }
    try:
        schema = parse_schema(json.dumps(document).encode())
    except MetadataCorrupt:  # drawn fields may share an id
        reject()
    written = schema_json(schema)
    assert written == {
        "fields": fields,
        "partitionKeys": ["c0"],
        "primaryKeys": [],
        "options": {"bucket": "2"},
        "comment": comment,
    }


def test_the_schemas_of_real_tables(lakes: Path) -> None:
    files = sorted((lakes / "paimon").rglob("schema/schema-*"))
    assert len(files) >= 19
    for file in files:
        document = json.loads(file.read_text())
        written = schema_json(parse_schema(file.read_bytes()))
        assert written["fields"] == document["fields"], file
        for key in ("partitionKeys", "primaryKeys"):
            assert written[key] == document[key]


@pytest.mark.parametrize(("version", "more"), [(1, {"bucket": "1", "file.format": "orc"}), (2, {"file.format": "orc"})])
def test_what_old_versions_leave_out_is_written_out(version: int, more: dict[str, str]) -> None:
    # Clients read every schema as the newest version, which has other defaults.
    fields = [{"id": 0, "name": "a", "type": "INT"}]
    document = {"version": version, "id": 0, "fields": fields, "partitionKeys": [], "primaryKeys": [], "options": {}}
    assert schema_json(parse_schema(json.dumps(document).encode()))["options"] == more
