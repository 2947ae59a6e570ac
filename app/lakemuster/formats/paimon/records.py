"""Reader of manifest metadata records: columns by name, each cast to the type that the format defines.

Writers differ in the set and order of columns, in whether a record may be null, and in the width of small integers;
the rest of the package sees the format's own types only.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.paimon.containers import read_records

_NOT_A_NAME = r"[/\\\x00-\x1f\x7f]|^\.{0,2}$"


class Records:
    """The columns of records (or of a struct in them), each read as the type that the format defines."""

    def __init__(self, members: Mapping[str, pa.Array], count: int) -> None:
        self._members, self.count = members, count

    @classmethod
    def of(cls, data: bytes, version: int) -> Records:
        """Read a file, and refuse any ``_VERSION`` but ``version``."""
        table = read_records(data)
        try:
            columns = {name: _whole(table[name]) for name in dict.fromkeys(table.column_names)}
        except KeyError as error:
            raise MetadataCorrupt("two columns of a manifest share a name") from error
        records = cls(columns, table.num_rows)
        versions = records.column("_VERSION", pa.int32(), required=True)
        for other in pc.unique(versions).to_pylist():
            if other != version:
                raise FormatUnsupported("manifest metadata has an unexpected layout", version=other, known=version)
        return records

    @classmethod
    def within(cls, structs: pa.StructArray) -> Records:
        """Return the members of a struct column; null where the struct is null."""
        members = (structs.type.field(i).name for i in range(structs.type.num_fields))
        return cls(dict(zip(members, structs.flatten(), strict=True)), len(structs))

    def get(self, name: str) -> pa.Array | None:
        """Return a column as read; None if it is absent."""
        return self._members.get(name)

    def column(self, name: str, form: pa.DataType, *, required: bool = False) -> pa.Array:
        """Return a column of the given type, all null if it is absent.

        Raises:
            MetadataCorrupt: the column cannot be cast, or it is required and a value is missing.
        """
        array = self._members.get(name)
        if array is None:
            if required:
                raise MetadataCorrupt("manifest metadata lacks a column", column=name)
            return pa.nulls(self.count, form)
        if required and array.null_count:
            raise MetadataCorrupt("a value of manifest metadata is missing", column=name)
        try:
            # ORC files hold milliseconds as nanosecond timestamps.
            return array if array.type == form else array.cast(form, safe=not pa.types.is_timestamp(form))
        except pa.ArrowException as error:
            raise MetadataCorrupt("a column of manifest metadata has the wrong type", column=name) from error

    def counts(self, name: str) -> list[int]:
        """Return a column of integers without nulls or negative values."""
        array = self.column(name, pa.int64(), required=True)
        if len(array) and pc.min(array).as_py() < 0:
            raise MetadataCorrupt("a count of manifest metadata is negative", column=name)
        counts: list[int] = array.to_pylist()
        return counts

    def names(self, name: str) -> list[str]:
        """Return a column of file names, checked."""
        array = self.column(name, pa.string(), required=True)
        check_names(array)
        names: list[str] = array.to_pylist()
        return names

    def struct_array(self, name: str) -> pa.StructArray:
        """Return a struct column; without members if it is absent."""
        array = self._members.get(name)
        if array is None:
            return pa.nulls(self.count, pa.struct([]))
        if not pa.types.is_struct(array.type):
            raise MetadataCorrupt("a column of manifest metadata has the wrong type", column=name)
        return array

    def struct(self, name: str) -> Records:
        """Return the members of a struct column without nulls."""
        array = self.struct_array(name)
        if array.null_count:
            raise MetadataCorrupt("a value of manifest metadata is missing", column=name)
        return Records.within(array)


def check_names(names: pa.Array) -> None:
    """Check that file names do not lead out of their folder."""
    if names.null_count or pc.any(pc.match_substring_regex(names, _NOT_A_NAME)).as_py():
        raise MetadataCorrupt("a file's name in manifest metadata is not a name")


def _whole(column: pa.ChunkedArray) -> pa.Array:
    try:
        whole = column.combine_chunks()
    except pa.ArrowException as error:
        raise LimitExceeded("a column of manifest metadata is too large") from error
    if isinstance(whole, pa.ChunkedArray):
        if whole.num_chunks > 1:
            raise LimitExceeded("a column of manifest metadata is too large")
        return whole.chunk(0) if whole.num_chunks else pa.nulls(0, whole.type)
    return whole
