"""Damaged files, files that differ from the plan, and unsupported ones are errors, never silently fewer rows."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakemuster.spark.reading import paimon
from lakemuster.spark.reading.model import NotReadable, Split
from lakemuster.spark.reading.paimon import data_files
from tests.unit.spark.reading.paimon.lake import (
    MemoryLake,
    field_row,
    file_bytes,
    planned,
    rows_of,
    schema_row,
    to_read,
)

FORMS = ["parquet", "orc", "avro"]
COLUMNS = {"id": "BIGINT", "name": "STRING"}
ROWS = [{"id": n, "name": f"n{n}"} for n in range(40)]
PLAIN = schema_row(0, [field_row(0, "id", "BIGINT"), field_row(1, "name", "STRING")])
KEYED_FIELDS = [field_row(0, "id", "BIGINT", required=True), field_row(1, "name", "STRING")]
SYSTEM = {"_SEQUENCE_NUMBER": "BIGINT", "_VALUE_KIND": "TINYINT"}


def written(lake: MemoryLake, form: str = "parquet", rows: Sequence[Any] = ROWS, **more: Any) -> dict[str, Any]:
    data = file_bytes(form, COLUMNS, rows, 8)
    return planned(lake.write(f"f{len(lake.objects)}.{form}", data), data, len(rows), **more)


def keyed(options: dict[str, str] | None = None, fields: Sequence[Any] = KEYED_FIELDS) -> Any:
    return to_read([schema_row(0, fields, primary=["id"], options=options)])


def merged(lake: MemoryLake, rows: Sequence[tuple[Any, ...]], **more: Any) -> dict[str, Any]:
    """Write a file of a section with rows of key, name, sequence number and kind; return its row of a plan."""
    lines = [dict(zip(("id", "name", *SYSTEM), row, strict=True)) for row in rows]
    data = file_bytes("parquet", {**COLUMNS, **SYSTEM}, lines)
    path = lake.write(f"m{len(lake.objects)}.parquet", data)
    return planned(path, data, len(rows), **{"raw_convertible": False, "section": 1, **more})


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("by", [-1, 1])
def test_another_number_of_rows_than_recorded(form: str, by: int) -> None:
    lake = MemoryLake()
    file = written(lake, form)
    file["record_count"] += by
    with pytest.raises(NotReadable, match=f"40 rows, not {40 + by} as recorded"):
        rows_of(to_read([PLAIN]), [file], lake)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keep", [0, 3, 0.5, 0.97])
def test_files_that_are_cut(form: str, keep: float) -> None:
    lake = MemoryLake()
    file = written(lake, form)
    data = lake.objects[file["file_path"]]
    lake.write(file["file_path"], data[: int(keep if keep > 1 else keep * len(data))])
    with pytest.raises(NotReadable, match=r"cannot be decoded|rows, not 40") as problem:
        rows_of(to_read([PLAIN]), [file], lake)
    assert problem.value.file_path == file["file_path"]


def test_wide_rows_come_in_smaller_batches() -> None:
    lake = MemoryLake()
    data = file_bytes("parquet", COLUMNS, [{"id": number, "name": f"{number:08}" * 2**16} for number in range(100)])
    file = planned(lake.write("f.parquet", data), data, 100)
    batches = list(paimon.read(to_read([PLAIN]), Split((file,)), lake))
    assert [number for batch in batches for number in batch.column("id").to_pylist()] == list(range(100))
    assert max(batch.nbytes for batch in batches) <= 18 * 2**20


@pytest.mark.parametrize(
    ("of", "value", "expected"),
    [
        ("FLOAT", 1.5, 1.5),
        ("DOUBLE", 0.1, 0.1),
        ("TINYINT", -1, -1),
        ("BOOLEAN", True, True),
        ("DATE", date(2024, 5, 1), date(2024, 5, 1)),
        ("TIME(3)", time(0, 0, 2), 2000),
        ("DECIMAL(5, 2)", Decimal("1.5"), Decimal("1.50")),
        ("BINARY(2)", b"ab", b"ab"),
        ("CHAR(3)", "a", "a"),
        ("FLOAT", None, None),
    ],
)
def test_partition_values(of: str, value: object, expected: object) -> None:
    lake = MemoryLake()
    fields = [*PLAIN["fields"], field_row(2, "part", of)]
    file = written(lake, rows=ROWS[:2], partition={"part": value})
    found = rows_of(to_read([schema_row(0, fields, partition=["part"])]), [file], lake)
    assert found == [{**row, "part": expected} for row in ROWS[:2]]


def test_no_column_is_read_to_count_rows() -> None:
    for form in FORMS:
        lake = MemoryLake()
        vector = lake.vector([0, 39])
        file = written(lake, form, deletion_vector=vector)
        assert rows_of(to_read([PLAIN], []), [file], lake) == [{}] * 38


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"crc": True}, "does not match its checksum"),
        ({"length": 1}, "does not have its recorded length"),
        ({"cardinality": 1}, "a different number of rows than recorded"),
        ({"offset": 1}, "does not have its recorded length"),
    ],
)
@pytest.mark.parametrize("wide", [False, True])
def test_damaged_deletion_vectors(damage: dict[str, Any], said: str, wide: bool) -> None:
    lake = MemoryLake()
    vector = lake.vector([1, 2, 30], wide=wide)
    file = written(lake, deletion_vector=vector)
    assert len(rows_of(to_read([PLAIN]), [file], lake)) == 37
    if "crc" in damage:
        index = bytearray(lake.objects[vector["file_path"]])
        index[-6] ^= 1
        lake.write(vector["file_path"], bytes(index))
    for name in damage.keys() - {"crc"}:
        vector[name] += damage[name]
    with pytest.raises(NotReadable, match=said) as problem:
        rows_of(to_read([PLAIN]), [file], lake)
    assert problem.value.file_path == vector["file_path"]


def test_a_deletion_vector_of_rows_that_are_not_there() -> None:
    lake = MemoryLake()
    file = written(lake, deletion_vector=lake.vector([40]))
    with pytest.raises(NotReadable, match="marks more rows than it has"):
        rows_of(to_read([PLAIN]), [file], lake)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"file_format": "lance"}, "its format is lance"),
        ({"file_format": None}, "its format is None"),
        ({"schema_id": 7}, "its schema 7 is not known"),
        ({"content": "changelog"}, "it holds changelog"),
        ({"raw_convertible": False, "section": 1, "file_name": "x.blob"}, "only in files of large objects"),
    ],
)
def test_files_that_are_refused(more: dict[str, Any], said: str) -> None:
    lake = MemoryLake()
    file = {**written(lake), **more}
    with pytest.raises(NotReadable, match=said) as problem:
        rows_of(to_read([PLAIN]), [file], lake)
    assert problem.value.file_path == file["file_path"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"deletion_vector": {}}, "not of the oldest file"),
        ({"first_row_id": 1}, "columns of different rows"),
        ({"write_cols_sequences": [1, 2]}, "of different ages"),
        ({"file_name": "x.vector.parquet"}, "column id is in separate files"),
    ],
)
def test_spread_files_that_are_refused(more: dict[str, Any], said: str) -> None:
    lake = MemoryLake()
    first = {**written(lake), "raw_convertible": False, "section": 1, "first_row_id": 0}
    second = {**first, "max_sequence_number": 1, **more}
    with pytest.raises(NotReadable, match=said) as problem:
        rows_of(to_read([PLAIN]), [first, second], lake)
    assert problem.value.file_path == first["file_path"]


@pytest.mark.parametrize("text", ["VARIANT", "BLOB", "GEOMETRY(x)", "WHATEVER"])
def test_columns_that_spark_cannot_be_given(text: str) -> None:
    schema = schema_row(0, [field_row(0, "id", "BIGINT"), field_row(1, "name", text)])
    with pytest.raises(NotReadable, match="Spark cannot be given"):
        paimon.check(to_read([schema]))
    assert paimon.read_schema(to_read([schema], ["id"])).names == ["id"]


def test_defaults_when_read() -> None:
    options = {"fields.name.default-value": "x"}
    with pytest.raises(NotReadable, match=r"fields\.name\.default-value"):
        paimon.check(to_read([PLAIN], **options))
    paimon.check(to_read([PLAIN], ["id"], **options))


def test_rows_of_chains() -> None:
    """Paimon reads more than the snapshot, so reading the snapshot alone would silently lose rows."""
    with pytest.raises(NotReadable, match=r"chain-table\.enabled"):
        paimon.check(to_read([PLAIN], **{"chain-table.enabled": "TRUE"}))


@pytest.mark.parametrize("option", ["scan.fallback-branch", "scan.primary-branch"])
def test_a_branch_without_a_known_schema(option: str) -> None:
    lake = MemoryLake()
    file = {**written(lake, rows=[{"id": 1, "name": "x"}]), "branch": "side"}
    table = to_read([PLAIN], **{option: "side"})
    paimon.check(table)
    with pytest.raises(NotReadable, match="schema of branch side is not known"):
        list(paimon.read(table, Split((file,)), lake))


def test_nulls_where_there_are_none() -> None:
    lake = MemoryLake()
    file = written(lake, rows=[{"id": None, "name": "x"}])
    with pytest.raises(NotReadable, match="column id is NOT NULL, or a part of it, and has nulls"):
        rows_of(to_read([schema_row(0, KEYED_FIELDS)]), [file], lake)


STRUCT = {"type": "struct", "text": "ROW<`a` INT NOT NULL>", "fields": [field_row(1, "a", "INT", required=True)]}
LIST = {"type": "list", "text": "ARRAY<INT NOT NULL>", "element-id": 1, "element": "INT", "element-required": True}
BAG = {"type": "list", "text": "MULTISET<STRING>", "element-id": 1, "element": "STRING", "element-required": False}
MAP = {
    "type": "map", "text": "MAP<INT, INT NOT NULL>", "key-id": 1, "key": "INT", "value-id": 2, "value": "INT",
    "value-required": True,
}  # fmt: skip
NESTED: list[tuple[Any, pa.DataType, list[Any], Any]] = [
    (STRUCT, pa.struct([("a", pa.int32())]), [None, {"a": 1}], {"a": None}),
    (LIST, pa.list_(pa.int32()), [None, [], [1]], [1, None]),
    (MAP, pa.map_(pa.int32(), pa.int32()), [None, [], [(1, 2)]], [(1, 2), (3, None)]),
    (BAG, pa.map_(pa.string(), pa.int32()), [None, [("a", 2)]], [("b", None)]),
]


@pytest.mark.parametrize(("of", "form", "good", "bad"), NESTED, ids=["ROW", "ARRAY", "MAP", "MULTISET"])
def test_nulls_in_parts_where_there_are_none(of: Any, form: pa.DataType, good: list[Any], bad: Any) -> None:
    table = to_read([schema_row(0, [field_row(0, "x", of)])])
    for values, right in ((good, True), ([*good, bad], False)):
        lake, out = MemoryLake(), io.BytesIO()
        pq.write_table(pa.table({"x": pa.array(values, form)}), out)
        file = planned(lake.write("x.parquet", out.getvalue()), out.getvalue(), len(values))
        if right:
            assert [row["x"] for row in rows_of(table, [file], lake)] == good
        else:
            with pytest.raises(NotReadable, match="NOT NULL"):
                rows_of(table, [file], lake)


def test_values_of_another_type() -> None:
    lake = MemoryLake()
    file = written(lake)
    schema = schema_row(0, [field_row(0, "id", "STRING")])
    with pytest.raises(NotReadable, match="int64 where STRING is expected"):
        rows_of(to_read([schema]), [file], lake)


@pytest.mark.parametrize("engine", ["other"])
def test_merge_engines_that_are_refused(engine: str) -> None:
    lake = MemoryLake()
    table = keyed({"merge-engine": engine})
    with pytest.raises(NotReadable, match=f"merge engine {engine}"):
        rows_of(table, [merged(lake, [(1, "a", 1, 0)])], lake)
    alone = merged(lake, [(1, "a", 1, 0)], raw_convertible=True, section=None)
    assert rows_of(table, [alone], lake) == [{"id": 1, "name": "a"}]


def test_files_that_are_not_sorted() -> None:
    lake = MemoryLake()
    least = {"min_key": {"id": 1}}
    damaged: list[tuple[list[tuple[Any, ...]], dict[str, Any]]]
    damaged = [([(2, "a", 1, 0), (1, "b", 2, 0)], {}), ([(0, "a", 1, 0)], least), ([(None, "a", 1, 0)], {})]
    for rows, more in damaged:
        file = merged(lake, rows, **more)
        with pytest.raises(NotReadable, match=r"not sorted by key|a key has a null") as problem:
            rows_of(keyed(), [merged(lake, [(5, "x", 9, 0)]), file], lake)
        assert problem.value.file_path == file["file_path"]


def test_sorted_from_batch_to_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_files, "BATCH_ROWS", 1)
    lake = MemoryLake()
    with pytest.raises(NotReadable, match="not sorted by key"):
        rows_of(keyed(), [merged(lake, [(2, "a", 1, 0), (1, "b", 2, 0)])], lake)


def test_files_that_are_sorted_by_clustering_columns() -> None:
    lake = MemoryLake()
    table = keyed({"pk-clustering-override": "true", "deletion-vectors.enabled": "true"})
    replaced = {"level": 1, "deletion_vector": lake.vector([0])}
    files = [
        merged(lake, [(2, "a", 1, 0), (1, "b", 2, 0), (3, "c", 3, 3)], **replaced),
        merged(lake, [(5, "d", 6, 0), (2, "e", 5, 2), (4, "f", 4, 3)], level=1),
    ]
    found = rows_of(table, files, lake)
    assert found == [{"id": 1, "name": "b"}, {"id": 5, "name": "d"}, {"id": 2, "name": "e"}]


def test_a_section_without_sequence_numbers() -> None:
    lake = MemoryLake()
    with pytest.raises(NotReadable, match=r"no column _SEQUENCE_NUMBER|no column _VALUE_KIND"):
        rows_of(keyed(), [written(lake, raw_convertible=False, section=1)], lake)


def test_first_row_takes_no_deletes() -> None:
    lake = MemoryLake()
    files = [merged(lake, [(1, "a", 1, 0)]), merged(lake, [(1, "b", 2, 3)])]
    with pytest.raises(NotReadable, match="first-row does not allow"):
        rows_of(keyed({"merge-engine": "first-row"}), files, lake)
    ignoring = keyed({"merge-engine": "first-row", "first-row.ignore-delete": "true"})
    assert rows_of(ignoring, files, lake) == [{"id": 1, "name": "a"}]


def test_nan_has_no_order() -> None:
    lake = MemoryLake()
    lines = [{"id": 1, "s": float("nan"), "_SEQUENCE_NUMBER": 1, "_VALUE_KIND": 0}]
    data = file_bytes("parquet", {"id": "BIGINT", "s": "DOUBLE", **SYSTEM}, lines)
    file = planned(lake.write("n.parquet", data), data, 1, raw_convertible=False, section=1)
    fields = [KEYED_FIELDS[0], field_row(1, "s", "DOUBLE")]
    with pytest.raises(NotReadable, match="is NaN"):
        rows_of(keyed({"sequence.field": "s"}, fields), [file], lake)


def test_snapshots_tell_the_order() -> None:
    lake = MemoryLake()
    first = merged(lake, [(1, "first", 90, 0)], min_sequence_number=4)
    second = merged(lake, [(1, "second", 5, 0)], min_sequence_number=7)
    by_number, by_snapshot = keyed(), keyed({"sequence.snapshot-ordering": "true"})
    assert rows_of(by_number, [first, second], lake) == [{"id": 1, "name": "first"}]
    assert rows_of(by_snapshot, [second, first], lake) == [{"id": 1, "name": "second"}]
    compacted = {**second, "file_source": "compact"}
    assert rows_of(by_snapshot, [first, compacted], lake) == [{"id": 1, "name": "second"}]
    with pytest.raises(NotReadable, match=r"sequence\.snapshot-ordering"):
        rows_of(by_snapshot, [{**first, "file_source": None}], lake)


def test_of_rows_that_nothing_tells_apart_the_later_file_counts() -> None:
    lake = MemoryLake()
    files = [merged(lake, [(1, "deep", 5, 0)], level=5), merged(lake, [(1, "a", 5, 0)]), merged(lake, [(1, "b", 5, 0)])]
    assert rows_of(keyed(), files, lake) == [{"id": 1, "name": "b"}]
    assert rows_of(keyed(), [files[1], files[0]], lake) == [{"id": 1, "name": "a"}]


def test_files_are_opened_when_their_keys_are_reached() -> None:
    lake = MemoryLake()
    files = [
        merged(lake, [(100 * n + i, "x", i, 0) for i in range(50)], min_key={"id": 100 * n}, level=5) for n in range(8)
    ]
    wide = merged(lake, [(100 * n, "wide", 1000, 0) for n in range(8)], min_key={"id": 0})
    opened = []
    for batch in paimon.read(keyed(), _split([*files, wide]), lake):
        assert batch.num_rows
        opened.append(len(lake.opened))
    assert opened[0] <= 3
    assert opened[-1] == 9


def _split(files: Sequence[Any]) -> Any:
    from lakemuster.spark.reading.model import Split

    return Split(tuple(files))


def test_timestamps_that_cannot_be_told() -> None:
    """Before 1970, Paimon writes negative nanoseconds of the day, which Arrow reads as unsigned numbers."""
    out = io.BytesIO()
    values = pa.array([2**63 // 1000 + 5_000_000], pa.timestamp("us"))
    pq.write_table(pa.table({"at": values}), out)
    lake = MemoryLake()
    file = planned(lake.write("t.parquet", out.getvalue()), out.getvalue(), 1)
    fine = to_read([schema_row(0, [field_row(0, "at", "TIMESTAMP(9)")])])
    with pytest.raises(NotReadable, match="before 1970"):
        rows_of(fine, [file], lake)
    micros = to_read([schema_row(0, [field_row(0, "at", "TIMESTAMP(6)")])])
    assert len(rows_of(micros, [file], lake)) == 1
