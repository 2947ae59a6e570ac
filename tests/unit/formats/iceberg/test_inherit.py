from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.manifests import inherit, parse_manifest
from lakemuster.metadata.files import ADDED, DELETED, EXISTING
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import entry, manifest, table_of

HEADER = ManifestHeader("m0.avro", None, sequence_number=8, added_snapshot_id=77)


def inherited(entries, header=HEADER, version=3):
    table = inherit(parse_manifest(manifest(entries, version=version), header, table_of()), header)
    table.validate(full=True)
    return table


def column(entries, name, header=HEADER, version=3):
    return inherited(entries, header, version).column(name).to_pylist()


def test_a_null_snapshot_id_is_that_of_the_snapshot_which_added_the_manifest():
    entries = [entry(snapshot_id=None), entry(snapshot_id=5), entry(snapshot_id=None, status=EXISTING)]
    assert column(entries, "snapshot_id") == [77, 5, 77]
    assert column([entry(snapshot_id=None)], "snapshot_id") == [77]
    assert column([entry(snapshot_id=None)], "snapshot_id", replace(HEADER, added_snapshot_id=None)) == [None]


@pytest.mark.parametrize("name", ["sequence_number", "file_sequence_number"])
def test_only_added_entries_inherit_a_sequence_number(name):
    entries = [entry(), entry(status=EXISTING), entry(status=DELETED), entry() | {name: 3}]
    assert column(entries, name) == [8, None, None, 3]


@pytest.mark.parametrize("name", ["sequence_number", "file_sequence_number"])
def test_all_entries_of_a_manifest_with_sequence_number_0_have_0(name):
    header = replace(HEADER, sequence_number=0)
    assert column([entry(), entry(status=EXISTING), entry(status=DELETED)], name, header) == [0, 0, 0]


def test_entries_of_a_v1_manifest_stay_at_0_in_a_list_of_v2():
    assert column([entry(), entry(status=EXISTING)], "sequence_number", version=1) == [0, 0]


ROWS = replace(HEADER, first_row_id=1000)


def test_data_files_without_a_row_id_count_on_from_the_manifests():
    entries = [
        entry(record_count=10),
        entry(record_count=20, status=EXISTING),
        entry(record_count=5, first_row_id=400),
        entry(record_count=7, status=DELETED),
        entry(record_count=1),
    ]
    assert column(entries, "first_row_id", ROWS) == [1000, 1010, 400, None, 1030]


def test_a_deleted_entry_keeps_the_row_id_that_was_written():
    assert column([entry(status=DELETED, first_row_id=3), entry()], "first_row_id", ROWS) == [3, 1000]


def test_delete_files_have_no_row_ids():
    table = inherited([entry(content=1)], replace(ROWS, content="deletes"))
    assert "first_row_id" not in table.column_names


def test_row_ids_that_were_written_stay_when_the_manifest_has_none():
    assert column([entry(first_row_id=3), entry()], "first_row_id") == [3, None]


entries = st.lists(
    st.tuples(st.sampled_from([EXISTING, ADDED, DELETED]), st.integers(0, 4), st.none() | st.integers(0, 99)),
    max_size=8,
)


@given(entries, st.integers(0, 50))
def test_row_ids_are_those_of_the_specifications_sum(rows, first):
    expected, next_id = [], first
    for status, records, own in rows:
        if own is None and status != DELETED:
            expected.append(next_id)
            next_id += records
        else:
            expected.append(own)
    table = pa.table(
        {
            "status": pa.array([row[0] for row in rows], pa.int8()),
            "record_count": pa.array([row[1] for row in rows], pa.int64()),
            "first_row_id": pa.array([row[2] for row in rows], pa.int64()),
        }
    )
    assert inherit(table, replace(HEADER, first_row_id=first)).column("first_row_id").to_pylist() == expected


def test_nothing_else_changes():
    table = parse_manifest(manifest([entry(lower_bounds=[{"key": 4, "value": b"a"}])]), HEADER, table_of())
    after = inherit(table, HEADER)
    for name in table.column_names:
        assert after.column(name) == table.column(name)
        assert after.schema.field(name).equals(table.schema.field(name), check_metadata=True)
    assert set(after.column_names) - set(table.column_names) == {"sequence_number", "file_sequence_number"}
