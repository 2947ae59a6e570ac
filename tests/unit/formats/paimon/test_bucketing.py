"""Buckets of keys against Paimon's Java code, pypaimon, and the buckets of real tables' rows."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lakemuster.formats.paimon.binary_row_writer import row_bytes
from lakemuster.formats.paimon.bucketing import BucketFunction, buckets, can_hash, hash_codes, is_certain
from lakemuster.formats.paimon.paths import data_file_paths
from lakemuster.metadata.files import ADDED
from tests.tree import ROOT, lakes_folder
from tests.unit.formats.paimon.keys import VALUES, encoded, keys, plain, primitive
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.tables import folders, load, read, schemas_of

DEFAULT, MOD, HIVE = BucketFunction.DEFAULT, BucketFunction.MOD, BucketFunction.HIVE
TOTALS = [1, 2, 7, 16, 1000, 2**31 - 1]
INT = primitive("INT")

every_type = pytest.mark.parametrize("of", VALUES)
mixed = st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4)
beside = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=30)


def told(types, rows):
    return [[plain(of, value) for of, value in zip(types, row, strict=True)] for row in rows]


def agrees_with_java(java, function, types, rows):
    ours = [primitive(of) for of in types]
    answers = java.ask("buckets", types=types, keys=told(types, rows), totals=TOTALS, function=function.value)
    assert [row_bytes(ours, row).hex() for row in rows] == [answer["bytes"] for answer in answers]
    for place, total in enumerate(TOTALS):
        expected = [answer["buckets"][place] for answer in answers]
        assert buckets(function, ours, rows, total).tolist() == expected


@given(st.data())
def test_a_row_is_what_the_tests_own_encoder_writes(data):
    types = data.draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=70))
    row = data.draw(keys(types, nulls=True))
    names = [
        "TIMESTAMP" + of.removeprefix("TIMESTAMP").split(" ")[0] if of.startswith("TIMESTAMP") else of for of in types
    ]
    expected = binary_row(names, [encoded(of, value) for of, value in zip(types, row, strict=True)], java_nulls=True)
    assert row_bytes([primitive(of) for of in types], row) == expected[4:]


@every_type
@beside
@given(st.data())
def test_keys_of_each_type_lie_where_java_puts_them(java_paimon, of, data):
    agrees_with_java(java_paimon, DEFAULT, [of], data.draw(st.lists(keys([of]), min_size=1, max_size=30)))


@beside
@given(st.data())
def test_keys_of_many_fields_lie_where_java_puts_them(java_paimon, data):
    types = data.draw(mixed)
    agrees_with_java(java_paimon, DEFAULT, types, data.draw(st.lists(keys(types, nulls=True), min_size=1, max_size=9)))


@pytest.mark.parametrize("of", ["INT", "BIGINT"])
@beside
@given(st.data())
def test_mod_is_javas(java_paimon, of, data):
    agrees_with_java(java_paimon, MOD, [of], data.draw(st.lists(keys([of]), min_size=1, max_size=30)))


@beside
@given(st.data())
def test_hive_is_javas(java_paimon, data):
    types = data.draw(
        st.lists(st.sampled_from([of for of in VALUES if can_hash(HIVE, [primitive(of)])]), min_size=1, max_size=3)
    )
    agrees_with_java(java_paimon, HIVE, types, data.draw(st.lists(keys(types, nulls=True), min_size=1, max_size=9)))


def test_hive_takes_all_types_but_timestamps_and_mod_whole_numbers_only():
    hive = {of for of in VALUES if can_hash(HIVE, [primitive(of)])}
    assert hive == {of for of in VALUES if not of.startswith("TIMESTAMP")}
    assert {of for of in VALUES if can_hash(MOD, [primitive(of)])} == {"INT", "BIGINT"}
    assert not can_hash(MOD, [INT, INT])
    assert all(can_hash(DEFAULT, [primitive(of)]) for of in VALUES)
    assert not can_hash(DEFAULT, [primitive("VARIANT")])


PYPAIMON = """
import datetime, decimal, struct
from pypaimon.schema.data_types import AtomicType, DataField
from pypaimon.write.row_key_extractor import RowKeyExtractor, _bucket_from_hash

def value(of, text):
    if of.startswith("DECIMAL"):
        return decimal.Decimal(text)
    if of.startswith("TIMESTAMP"):
        millis, nanos = map(int, text.split(":"))
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=millis, microseconds=nanos // 1000)
    if of == "DATE":
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=int(text))
    if of.startswith("TIME"):
        return (datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=int(text))).time()
    if of == "FLOAT":
        return struct.unpack("<f", struct.pack("<i", int(text)))[0]
    if of == "DOUBLE":
        return struct.unpack("<d", struct.pack("<q", int(text)))[0]
    if of == "BOOLEAN":
        return text == "true"
    if "BINARY" in of or of == "BYTES":
        return bytes.fromhex(text)
    return text if "CHAR" in of or of == "STRING" else int(text)

def main(cases, total):
    answers = []
    for types, rows in cases:
        fields = [DataField(i, f"f{i}", AtomicType(of)) for i, of in enumerate(types)]
        hashes = [RowKeyExtractor._binary_row_hash_code(tuple(map(value, types, row)), fields) for row in rows]
        answers.append([_bucket_from_hash(code, total) for code in hashes])
    return answers
"""


@settings(max_examples=2, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.data())
def test_keys_lie_where_pypaimon_puts_them(run_pypaimon, data):
    cases = []
    for of in VALUES:
        types = [of] if data.draw(st.booleans()) else [of, "INT"]
        rows = data.draw(st.lists(keys(types), min_size=20, max_size=40))
        cases.append((types, [row for row in rows if is_certain(primitive(of), row[0])]))
    answers = run_pypaimon(PYPAIMON, cases=[(types, told(types, rows)) for types, rows in cases], total=101)
    for (types, rows), expected in zip(cases, answers, strict=True):
        assert buckets(DEFAULT, [primitive(of) for of in types], rows, 101).tolist() == expected, types


def test_some_keys_have_other_bytes_by_other_writers():
    wide, narrow, nanos = primitive("DECIMAL(20, 1)"), primitive("DECIMAL(18, 1)"), primitive("TIMESTAMP(9)")
    tenths = Decimal("0.1")
    for number in (-128, -32768, -(2**63)):
        assert not is_certain(wide, number * tenths)
    for number in (-127, -129, -64, -256, 128, 32768, 0, -1):
        assert is_certain(wide, number * tenths)
    assert is_certain(narrow, -128 * tenths)
    assert is_certain(nanos, 1_000)
    assert not is_certain(nanos, 1_001)
    assert is_certain(primitive("TIMESTAMP(6)"), 1_001)


LAKES = [*folders(lakes_folder() / "paimon"), *folders(ROOT / "tests" / "golden" / "paimon" / "tables")]


def keyed(folder):
    """Return names and types of a table's bucket key; None unless it has at least two fixed buckets."""
    latest = max(load(folder).schemas, key=lambda schema: schema.schema_id)
    options = dict(latest.options)
    if int(options.get("bucket", "-1")) < 2:
        return None
    names = options["bucket-key"].split(",") if "bucket-key" in options else list(latest.primary_keys)
    names = [name for name in names if name not in latest.partition_keys]
    return names, [latest.by_name[name].type for name in names]


KEYED = [folder for folder in LAKES if keyed(folder)]


@pytest.mark.parametrize("folder", KEYED, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_rows_lie_in_the_bucket_that_their_entry_says(folder):
    names, types = keyed(folder)
    table, rows_read = load(folder), 0
    for snapshot in table.snapshots:
        for manifest in read(table, snapshot):
            if manifest.role not in ("base", "delta"):
                continue
            entries = manifest.entries.filter(pc.equal(manifest.entries.column("status"), ADDED))
            paths = data_file_paths(entries, str(folder), table, schemas_of(table, snapshot)).to_pylist()
            for path, bucket, total in zip(
                paths, entries.column("bucket").to_pylist(), entries.column("total_buckets").to_pylist(), strict=True
            ):
                rows = rows_of(Path(path), names)
                assert set(buckets(DEFAULT, types, rows, total).tolist()) <= {bucket}
                rows_read += len(rows)
    assert rows_read or not list(folder.rglob("*.parquet"))


def rows_of(path, names):
    if path.suffix != ".parquet" or not path.exists():
        return []
    columns = []
    for name, values in zip(names, pq.read_table(path, columns=names).columns, strict=True):
        assert not pa.types.is_temporal(values.type), name
        columns.append(values.to_pylist())
    return list(zip(*columns, strict=True))


def test_there_are_real_tables_with_more_than_one_bucket():
    assert sum("shared" in str(folder) or "lakes" in str(folder) for folder in KEYED) > 3


def test_a_thousand_keys_are_hashed_in_milliseconds():
    types = [primitive("STRING"), INT, primitive("DECIMAL(30, 2)")]
    rows = [(f"a customer {number}", number, Decimal(number).scaleb(-2)) for number in range(1000)]
    codes = hash_codes(DEFAULT, types, rows)
    assert len(np.unique(codes)) == 1000


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ("INT", 2**31),
        ("INT", "1"),
        ("STRING", b"1"),
        ("STRING", "\ud800"),
        ("BYTES", "1"),
        ("DECIMAL(5, 2)", Decimal(1000)),
        ("DECIMAL(5, 2)", Decimal("0.001")),
        ("DECIMAL(20, 0)", 1),
        ("TIMESTAMP(6)", "now"),
        ("VARIANT", b""),
    ],
)
def test_what_is_no_value_of_its_type_is_refused(of, value):
    with pytest.raises(ValueError, match=r"cannot be written|does not fit|digits after"):
        row_bytes([primitive(of)], [value])
