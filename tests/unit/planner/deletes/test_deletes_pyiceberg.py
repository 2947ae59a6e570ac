"""Position deletes against PyIceberg's index, where it follows the specification.

PyIceberg 0.12 does not support equality deletes, takes vectors for position deletes, ignores
``referenced_data_file`` and a bound without the other, and distinguishes NaN bit patterns. None of these occurs here.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry, ManifestEntryStatus
from pyiceberg.table.delete_file_index import DeleteFileIndex
from pyiceberg.typedef import Record

from lakemuster.metadata.partition import PartitionSpec
from tests.unit.planner.deletes.delete_files import (
    BY_NAME,
    PATH,
    UNPARTITIONED,
    File,
    between,
    data,
    matched,
    positions,
)

NAMES = (None, "a", "b")
SPECS = (UNPARTITIONED, BY_NAME)


def path(spec: PartitionSpec, name: str | None, number: int) -> str:
    return f"{spec.spec_id}/{name}/{number}"


@st.composite
def partitions(draw: st.DrawFn) -> tuple[PartitionSpec, str | None]:
    spec = draw(st.sampled_from(SPECS))
    return spec, draw(st.sampled_from(NAMES)) if spec is BY_NAME else None


@st.composite
def data_files(draw: st.DrawFn) -> tuple[PartitionSpec, File]:
    spec, name = draw(partitions())
    return spec, data(path(spec, name, draw(st.integers(0, 3))), draw(st.integers(0, 3)), partition={1000: name})


@st.composite
def deletes(draw: st.DrawFn) -> tuple[PartitionSpec, File]:
    spec, name = draw(partitions())
    of = positions(draw(st.integers(0, 3)), partition={1000: name})
    listed, own = draw(partitions()) if draw(st.booleans()) else (spec, name)
    lower, upper = sorted(path(listed, own, draw(st.integers(0, 3))) for _ in "lu")
    return spec, between(of, *draw(st.sampled_from([(None, None), (lower, upper), (lower, lower)])))


def theirs(spec: PartitionSpec, file: File, number: int = 0) -> DataFile:
    bounds = file.statistics.get(PATH)
    made = DataFile.from_args(
        content=DataFileContent(file.content),
        file_path=f"delete-{number}" if file.content else file.path,
        file_format=FileFormat.PARQUET,
        partition=record(spec, file),
        record_count=1,
        file_size_in_bytes=1,
        lower_bounds={PATH: bounds.lower.encode()} if bounds and bounds.lower else {},
        upper_bounds={PATH: bounds.upper.encode()} if bounds and bounds.upper else {},
    )
    made.spec_id = spec.spec_id
    return made


def record(spec: PartitionSpec, file: File) -> Record:
    return Record(*(file.partition[own.field_id] for own in spec.fields))


@given(st.lists(deletes(), max_size=6), st.lists(data_files(), min_size=1, max_size=4))
def test_position_deletes_are_those_of_pyiceberg(some: list[Any], files: list[Any]) -> None:
    index = DeleteFileIndex()
    for number, (spec, delete) in enumerate(some):
        entry = ManifestEntry.from_args(
            status=ManifestEntryStatus.EXISTING,
            sequence_number=delete.sequence,
            data_file=theirs(spec, delete, number),
        )
        index.add_delete_file(entry, record(spec, delete))
    ours = [(spec, [delete]) for spec, delete in some]
    for spec, file in files:
        found = index.for_data_file(file.sequence, theirs(spec, file), record(spec, file))
        numbers = sorted(int(one.file_path.removeprefix("delete-")) for one in found)
        assert matched(ours, spec, [file]) == [numbers]
