"""Pruning by file indexes: columns by the file's schema, combined row sets, and files kept in doubt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.formats.paimon.file_index.fast_hash import wang_hash
from lakemuster.formats.paimon.options import TableOptions
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, ListType, Primitive
from lakemuster.metadata.values import days_of
from lakemuster.planner.paimon.file_indexes import can_evaluate, kept_by_index
from lakemuster.planner.paimon.reading import PaimonReading, ScanMode
from lakemuster.planner.paimon.statistics import Evolution
from lakemuster.predicates import FALSE, TRUE, Bound, BoundAnd, BoundLeaf, BoundOr, Op, Opaque
from tests.examples import examples
from tests.unit.formats.paimon.file_index import encoder

INT, LONG, TEXT = Primitive(Kind.INT, "INT"), Primitive(Kind.LONG, "BIGINT"), Primitive(Kind.STRING, "STRING")
Column = tuple[int, str, Primitive]


def schema(number: int, *columns: Column, key: Sequence[str] = (), **options: str) -> Schema:
    said = tuple((name.replace("__", ".").replace("_", "-"), value) for name, value in options.items())
    fields = tuple(Field(field_id, name, of) for field_id, name, of in columns)
    return Schema(number, fields, primary_keys=tuple(key), options=said)


def entries(*files: tuple[int, int, bytes | None], form: str = "parquet") -> pa.Table:
    """Return entries of files given by schema id, row count and embedded index."""
    ids, rows, indexes = zip(*files, strict=True)
    return pa.table(
        {
            "file_name": pa.repeat(f"data-0.{form}", len(ids)),
            "schema_id": pa.array(ids, pa.int64()),
            "record_count": pa.array(rows, pa.int64()),
            "write_cols": pa.nulls(len(ids), pa.list_(pa.string())),
            "embedded_file_index": pa.array(indexes, pa.binary()),
        }
    )


def of(op: Op, field_id: int, *values: object, kind: Primitive = INT) -> BoundLeaf:
    return BoundLeaf(op, field_id, f"c{field_id}", kind, values)


def kept(table: pa.Table, evolution: Evolution, bound: Bound) -> list[bool]:
    found: list[bool] = kept_by_index(table, evolution, bound, np.ones(table.num_rows, np.bool_)).tolist()
    return found


def bitmaps(**columns: Sequence[int | None]) -> bytes:
    return encoder.container({name: {"bitmap": encoder.bitmap("int", values)} for name, values in columns.items()})


VALUES = st.lists(st.integers(0, 20), min_size=1, max_size=3)
NOW = Evolution((schema(0, (1, "a", INT), (2, "b", INT)),))
BOTH = entries((0, 3, bitmaps(a=[1, 2, 3], b=[7, 8, None])))


@pytest.mark.parametrize(
    ("bound", "stays"),
    [
        (of(Op.EQ, 1, 1), True),
        (of(Op.EQ, 1, 9), False),
        (BoundAnd((of(Op.EQ, 1, 1), of(Op.EQ, 2, 7))), True),
        (BoundAnd((of(Op.EQ, 1, 1), of(Op.EQ, 2, 8))), False),
        (BoundAnd((of(Op.EQ, 1, 1), of(Op.LT, 2, 8))), True),
        (BoundAnd((of(Op.EQ, 1, 9), of(Op.LT, 2, 8))), False),
        (BoundAnd((of(Op.EQ, 1, 9), Opaque("f(x)", "why"))), False),
        (BoundOr((of(Op.EQ, 1, 9), of(Op.EQ, 2, 8))), True),
        (BoundOr((of(Op.EQ, 1, 9), of(Op.EQ, 2, 9))), False),
        (BoundOr((of(Op.EQ, 1, 9), of(Op.LT, 2, 0))), True),
        (BoundOr((of(Op.EQ, 1, 9), FALSE)), False),
        (BoundAnd((of(Op.IS_NULL, 2), of(Op.EQ, 1, 3))), True),
        (BoundAnd((of(Op.IS_NULL, 2), of(Op.EQ, 1, 2))), False),
        (BoundOr((BoundAnd((of(Op.EQ, 1, 1), of(Op.EQ, 2, 8))), of(Op.EQ, 1, 4))), False),
        (BoundLeaf(Op.EQ, 1, "a", INT, (9,), transform="bucket[4]"), True),
        (Opaque("f(x)", "why"), True),
        (TRUE, True),
    ],
)
def test_row_sets_of_conditions_are_combined(bound: Bound, stays: bool) -> None:
    assert kept(BOTH, NOW, bound) == [stays]


def test_only_the_requested_entries_are_evaluated() -> None:
    """There are more files than one batch of the evaluation."""
    count = 2500
    table = entries(*[(0, 1, bitmaps(a=[n % 5])) for n in range(count)])
    among = np.arange(count) % 2 == 0
    found = kept_by_index(table, NOW, of(Op.EQ, 1, 3), among)
    assert found.tolist() == [n % 2 == 0 and n % 5 == 3 for n in range(count)]
    assert among.sum() == count / 2


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"not an index at all, but bytes",
        bitmaps(a=[5, 6, 7])[:-9],
        bitmaps(other=[5, 6, 7]),
        bitmaps(a=[5, 6]),
        encoder.container({"a": {"bitmap": encoder.bitmap("int", [5, 6, 7])}}, version=2),
        encoder.container({"a": {"token": b"?"}}),
        encoder.container({"a": {"bloom-filter": b"\0\0\0\0\0"}}),
        encoder.container({"a": {"bitmap": None}}),
    ],
)
def test_an_unreadable_index_keeps_the_file(data: bytes | None) -> None:
    good = bitmaps(a=[5, 6, 7])
    assert kept(entries((0, 3, data), (0, 3, good)), NOW, of(Op.EQ, 1, 1)) == [True, False]


FILTERS = st.builds(
    lambda held, bits, functions: encoder.bloom_filter([wang_hash(n) for n in held], bits=bits, functions=functions),
    st.lists(st.integers(0, 20), max_size=4),
    st.sampled_from([64, 64, 128]),
    st.sampled_from([2, 2, 3]),
)
DAMAGE = st.sampled_from([lambda data: data] * 6 + [lambda data: data[:-1], lambda data: data[:30], lambda _: b""])


@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_bulk_evaluation_equals_single_evaluation(data: st.DataObject) -> None:
    files: list[tuple[int, int, bytes | None]] = []
    for _ in range(data.draw(st.integers(2, 12))):
        columns = {name: {"bloom-filter": data.draw(FILTERS)} for name in data.draw(st.sampled_from(["ab", "ab", "z"]))}
        whole = data.draw(DAMAGE)(encoder.container(columns))
        files.append((data.draw(st.sampled_from([0, 0, 1])), 4, data.draw(st.sampled_from([whole, whole, None]))))
    leaf = st.builds(lambda field_id, values: of(Op.EQ, field_id, *values[:1]), st.sampled_from([1, 2]), VALUES)
    some = st.builds(lambda field_id, values: of(Op.IN, field_id, *values), st.sampled_from([1, 2]), VALUES)
    parts = data.draw(st.lists(leaf | some, min_size=1, max_size=2))
    bound: Bound = parts[0] if len(parts) == 1 else BoundAnd(tuple(parts))
    renamed = Evolution((schema(1, (1, "z", INT), (2, "b", INT)), schema(0, (1, "a", INT), (2, "b", INT))))
    alone = [kept(entries(file), renamed, bound)[0] for file in files]
    assert kept(entries(*files), renamed, bound) == alone


def test_the_more_selective_of_two_indexes_decides() -> None:
    blooms = encoder.bloom_filter([wang_hash(n) for n in range(-200, 200)], bits=64)
    data = encoder.container({"a": {"bloom-filter": blooms, "bsi": encoder.bsi([5, 6, 7])}})
    assert kept(entries((0, 3, data)), NOW, of(Op.EQ, 1, 1)) == [False]


OLD = schema(0, (1, "a", INT), (2, "b", INT), (3, "c", TEXT), (4, "d", INT))
NEW = schema(1, (1, "z", INT), (2, "a", LONG), (3, "c", INT), (5, "d", INT))
EVOLVED = Evolution((NEW, OLD))
OLD_FILE = entries((0, 3, bitmaps(a=[1, 2, 3], b=[7, 8, 9], d=[0, 0, 0])))


@pytest.mark.parametrize(
    ("bound", "stays"),
    [
        (of(Op.EQ, 1, 2), True),
        (of(Op.EQ, 1, 7), False),
        (of(Op.EQ, 2, 7, kind=LONG), True),
        (of(Op.EQ, 2, 2, kind=LONG), False),
        (of(Op.EQ, 2, 1 << 40, kind=LONG), False),
        (of(Op.EQ, 3, 77), True),
        (of(Op.EQ, 5, 77), True),
    ],
    ids=["renamed", "renamed, not there", "wider", "wider, not there", "beyond the old type", "another type", "added"],
)
def test_columns_are_found_by_field_id(bound: Bound, stays: bool) -> None:
    assert kept(OLD_FILE, EVOLVED, bound) == [stays]


@pytest.mark.parametrize("place", ["between", "last"])
def test_the_index_of_a_moved_column_is_not_used(place: str) -> None:
    """Paimon's rewriting of indexes may use the wrong column there, and the file's schema does not tell."""
    straight = schema(0, (1, "a", INT), (2, "b", INT))
    moved = schema(1, (2, "b", INT), (1, "a", INT))
    later = schema(2, (1, "a", INT), (2, "b", INT))
    evolution = Evolution((later, moved, straight) if place == "between" else (moved, straight))
    table = entries((0, 3, bitmaps(a=[1, 2, 3])), (1, 3, bitmaps(a=[1, 2, 3])))
    newer_too = place == "between"
    assert kept(table, evolution, of(Op.EQ, 1, 9)) == [True, newer_too]


def test_an_index_on_a_map_key_is_not_used_for_the_column() -> None:
    inner = Field(100, "element", INT)
    evolution = Evolution((Schema(0, (Field(1, "a[b]", INT), Field(2, "l", ListType(inner)))),))
    assert kept(entries((0, 3, bitmaps(**{"a[b]": [1, 2, 3]}))), evolution, of(Op.EQ, 1, 9)) == [True]
    assert kept(entries((0, 3, bitmaps(element=[1, 2, 3]))), evolution, of(Op.EQ, 100, 9)) == [True]


SECOND = 10**6
MARCH_1500 = days_of(1500, 3, 1) * 86_400 * SECOND
CHAR = Primitive(Kind.STRING, "CHAR(5)", length=5)
LOCAL = Primitive(Kind.TIMESTAMP, "TIMESTAMP(6)", precision=6)


@pytest.mark.parametrize("indexed", ["bitmap", "bloom-filter"])
@pytest.mark.parametrize(
    ("kind", "value", "known"),
    [
        (CHAR, "ab", False),
        (TEXT, "ab", True),
        (LOCAL, 0, False),
        (LOCAL, 5, False),
        (LOCAL, -5, False),
        (LOCAL, SECOND, True),
        (LOCAL, -SECOND, True),
        (LOCAL, MARCH_1500, False),
        (INT, 0, True),
    ],
)
def test_indexes_of_orc_files_with_other_values_than_those_read_are_not_used(
    indexed: str, kind: Primitive, value: object, known: bool
) -> None:
    evolution = Evolution((schema(0, (1, "a", kind)),))
    of_kind = "string" if kind.kind is Kind.STRING else "int" if kind is INT else "long"
    held = b"ab   " if of_kind == "string" else 7 * SECOND
    index = encoder.bitmap(of_kind, [held, held]) if indexed == "bitmap" else encoder.bloom_filter([])
    file = (0, 2, encoder.container({"a": {indexed: index}}))
    bound = of(Op.EQ, 1, value, kind=kind)
    assert kept(entries(file, file, form="parquet"), evolution, bound) == [False, False]
    assert kept(entries(file, file, form="orc"), evolution, bound) == [not known] * 2
    assert kept(entries(file, form="orc"), evolution, bound) == [not known]
    assert not kept_by_index(
        entries((0, 2, encoder.container({"a": {"bitmap": encoder.bitmap(of_kind, [held, held])}})), form="orc"),
        evolution,
        of(Op.IS_NULL, 1, kind=kind),
        np.ones(1, np.bool_),
    ).any()


def test_a_default_that_replaces_nulls_disables_the_index() -> None:
    evolution = Evolution((schema(0, (1, "a", INT)),), frozenset({"a"}))
    assert kept(entries((0, 2, bitmaps(a=[None, None]))), evolution, of(Op.EQ, 1, 9)) == [True]


@pytest.mark.parametrize(
    ("key", "options", "scan", "alone", "asked"),
    [
        ((), {}, "all", True, True),
        ((), {}, "delta", True, True),
        ((), {"file_index__read__enabled": "false"}, "all", False, False),
        ((), {"data_evolution__enabled": "true"}, "all", False, False),
        (("a",), {}, "all", False, False),
        (("a",), {"merge_engine": "first-row"}, "all", False, False),
        (("a",), {"deletion_vectors__enabled": "true"}, "all", True, True),
        (("a",), {"deletion_vectors__enabled": "true"}, "delta", False, False),
        (("a",), {"deletion_vectors__enabled": "true", "deletion_vectors__merge_on_read": "true"}, "all", False, True),
    ],
)
def test_which_tables_use_file_indexes(
    key: tuple[str, ...], options: dict[str, str], scan: ScanMode, alone: bool, asked: bool
):
    now = schema(0, (1, "a", INT), (2, "b", INT), key=key, **options)
    read = TableOptions.of(now)
    reading = PaimonReading(read, Evolution((now,), spread=read.data_evolution and not key), scan)
    assert (reading.indexes_drop_files, reading.uses_indexes) == (alone, asked)
    assert reading.by_index(BOTH, of(Op.EQ, 1, 9), np.ones(1, np.bool_)).tolist() == [not alone]


def test_which_predicates_indexes_can_evaluate() -> None:
    assert can_evaluate(of(Op.GT, 1, 1))
    assert not can_evaluate(of(Op.STARTS_WITH, 3, "x", kind=TEXT))
    assert can_evaluate(BoundAnd((of(Op.EQ, 1, 1), Opaque("f", "why"))))
    assert not can_evaluate(BoundOr((of(Op.EQ, 1, 1), Opaque("f", "why"))))
