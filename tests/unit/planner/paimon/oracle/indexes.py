"""Random file indexes embedded in entries, for some columns, of kinds that their types allow."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.unit.formats.paimon.file_index import encoder
from tests.unit.planner.paimon.oracle.model import DataFile, Table
from tests.unit.planner.paimon.oracle.values import INTEGERS, chance, internal

FORMS = {
    "BOOLEAN": "boolean",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "long",
    "DOUBLE": "double",
    "DECIMAL(4, 1)": "long",
    "DATE": "int",
    "STRING": "string",
    "NUMERAL": "string",
}


def embedded(table: Table, file: DataFile) -> bytes | None:
    """Return a file's embedded index, a function of its content; None for most files."""
    rng = Random(repr((file.name, [record.values for record in file.records])))
    if not chance(rng, 40):
        return None
    columns: dict[str, dict[str, bytes | None]] = {}
    for column in table.versions[file.version].columns:
        if column.field_id in file.columns and column.type in FORMS and chance(rng, 60):
            values = [_raw(record.values[column.field_id]) for record in file.records]
            columns[column.name] = {kind: _index(rng, kind, column.type, values) for kind in _kinds(rng, column.type)}
    whole = encoder.container(columns)
    return whole[:-1] if chance(rng, 5) else whole


def _kinds(rng: Random, of: str) -> list[str]:
    kinds = ["range-bitmap"]
    if of != "DECIMAL(4, 1)":
        kinds += ["bitmap", "bitmap"]
    if of in (*INTEGERS, "DECIMAL(4, 1)", "DATE"):
        kinds.append("bsi")
    if of in (*INTEGERS, "DATE"):
        kinds.append("bloom-filter")
    return sorted({rng.choice(kinds) for _ in range(rng.choice([1, 1, 2]))})


def _index(rng: Random, kind: str, of: str, values: list[Any]) -> bytes:
    match kind:
        case "bitmap":
            return encoder.bitmap(FORMS[of], values, version=rng.choice([1, 2]), runs=chance(rng, 50))
        case "bsi":
            return encoder.bsi(values, runs=chance(rng, 50))
        case "range-bitmap":
            return encoder.range_bitmap(FORMS[of], values, runs=chance(rng, 50))
    return encoder.bloom_filter([_hash(value) for value in values if value is not None], bits=256)


def _raw(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else internal(value)


def _hash(number: int) -> int:
    """Return Thomas Wang's 64-bit hash, as Java computes it."""
    key = _long(~number + (number << 21))
    key = _long(key ^ key >> 24)
    key = _long(key * 265)
    key = _long(key ^ key >> 14)
    key = _long(key * 21)
    key = _long(key ^ key >> 28)
    return _long(key + (key << 31)) % (1 << 64)


def _long(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
