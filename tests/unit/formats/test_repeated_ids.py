"""A schema with repeated field ids is refused, since one field would be pruned by another's statistics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg.gzipped import inflate, is_gzip
from lakemuster.formats.iceberg.schemas import parse_schema as parse_iceberg
from lakemuster.formats.paimon.table_metadata import parse_schema as parse_paimon


def iceberg(ids: list[int]) -> dict[str, Any]:
    a, b, element, key, value, inner = ids
    struct = {"type": "struct", "fields": [{"id": inner, "name": "x", "type": "int", "required": False}]}
    listed = {"type": "list", "element-id": element, "element": struct, "element-required": False}
    mapped = {"type": "map", "key-id": key, "key": "int", "value-id": value, "value": "int", "value-required": False}
    fields = [{"id": a, "name": "a", "type": listed}, {"id": b, "name": "b", "type": mapped}]
    return {"type": "struct", "schema-id": 0, "fields": fields}


def paimon(ids: list[int]) -> bytes:
    a, b, inner, deeper = ids
    row = {"type": "ROW", "fields": [{"id": inner, "name": "x", "type": "INT"}]}
    deep = {"type": "ARRAY", "element": {"type": "ROW", "fields": [{"id": deeper, "name": "y", "type": "INT"}]}}
    fields = [{"id": a, "name": "a", "type": row}, {"id": b, "name": "b", "type": deep}]
    return json.dumps({"version": 3, "id": 0, "fields": fields, "highestFieldId": 9}).encode()


def test_distinct_ids_are_read() -> None:
    assert len(parse_iceberg(iceberg([1, 2, 3, 4, 5, 6]), "schema").names) == 6
    assert len(parse_paimon(paimon([0, 1, 2, 3])).fields) == 2


@pytest.mark.parametrize("at", range(1, 6))
def test_iceberg_ids_that_repeat_are_named(at: int) -> None:
    ids = [1, 2, 3, 4, 5, 6]
    ids[at] = 1
    with pytest.raises(MetadataCorrupt, match=r"^schemas\[0\] has several fields of one id: 1$"):
        parse_iceberg(iceberg(ids), "schemas[0]")


@pytest.mark.parametrize("at", range(1, 4))
def test_paimon_ids_that_repeat_are_named(at: int) -> None:
    ids = [0, 1, 2, 3]
    ids[at] = 0
    with pytest.raises(MetadataCorrupt, match=r"several fields of one id: 0$"):
        parse_paimon(paimon(ids))


def test_no_real_schema_repeats_an_id(lakes: Path) -> None:
    schemas = 0
    for path in lakes.rglob("*.metadata.json"):
        data = path.read_bytes()
        document = json.loads(inflate(data) if is_gzip(data) else data)
        for node in [*document.get("schemas", []), *([document["schema"]] if "schema" in document else [])]:
            parse_iceberg(node, "schema")
            schemas += 1
    for path in lakes.rglob("schema/schema-*"):
        parse_paimon(path.read_bytes())
        schemas += 1
    assert schemas > 50
