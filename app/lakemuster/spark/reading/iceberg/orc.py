"""Read ORC data files, one stripe at a time.

Source: Iceberg spec, "Appendix A: Format-specific Requirements", ORC.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyarrow import orc

from lakemuster.spark.reading.column_stats import ColumnStats
from lakemuster.spark.reading.iceberg.file_columns import FileColumn, file_columns
from lakemuster.spark.reading.iceberg.projection import NotProjectedError
from lakemuster.spark.reading.orc_timestamps import NEWER_PYARROW_NEEDED, has_timestamps, timestamps_are_checked
from lakemuster.spark.reading.row_groups import RowRange, whole

_FIELD_ID = b"iceberg.id"
_BATCH_ROWS = 65_536


class OrcRows:
    """The rows of an ORC file. Nested columns are read whole.

    Raises:
        ArrowException, OSError: it is not a complete ORC file, cannot be fetched, or holds a timestamp out of the range
            of int64 nanoseconds since 1970.
    """

    reads_whole_columns = True

    def __init__(self, source: pa.NativeFile) -> None:
        self._file = orc.ORCFile(source)
        self.num_rows: int | None = self._file.nrows
        self.row_ranges = whole(self._file.nrows)
        self.columns: tuple[FileColumn, ...] = file_columns(self._file.schema, _field_id)

    def column_stats(self, column: FileColumn, row_range: RowRange) -> ColumnStats | None:
        """Return None: pyarrow does not expose stripe statistics."""
        return None

    def batches(self, leaves: set[int], row_range: RowRange) -> Iterator[pa.RecordBatch]:
        """Yield all rows in order, with the columns of the given leaves.

        Raises:
            ArrowException, OSError: as for the class.
        """
        places = [at for at, column in enumerate(self.columns) if not leaves.isdisjoint(column.leaves)]
        if any(has_timestamps(self.columns[at].type) for at in places) and not timestamps_are_checked():
            raise NotProjectedError(NEWER_PYARROW_NEEDED)
        names = [column.name for column in self.columns]
        chosen = [names[at] for at in places] or names[:1]
        # pyarrow takes names with dots as paths into nested columns, so such a name may select another column.
        is_plain = len(set(names)) == len(names) and not any("." in name for name in names)
        for number in range(self._file.nstripes):
            stripe = self._file.read_stripe(number, columns=chosen if is_plain else None)
            stripe = stripe.select(list(range(len(places))) if is_plain else places)
            for start in range(0, stripe.num_rows, _BATCH_ROWS):
                yield stripe.slice(start, _BATCH_ROWS)


def _field_id(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(_FIELD_ID)
    return None if text is None else int(text)
