"""The list of references, as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.catalog.listings import Page
from lakemuster.catalog.page_tokens import Key
from lakemuster.catalog.references import References
from lakemuster.errors import NotAcceptable
from lakemuster.planner.history.references import REFERENCES
from lakemuster.wire.rows import Written, json_lines

BATCH_ROWS = 8192


@dataclass(frozen=True, slots=True)
class ReferenceListing:
    """The references below a location. They have no order, so the list has no pages."""

    references: References

    @property
    def schema(self) -> pa.Schema:
        """The columns of the list."""
        schema: pa.Schema = REFERENCES
        return schema

    def page(self, after: Key | None, size: int) -> Page:
        """Refuse to page the list.

        Raises:
            NotAcceptable: always.
        """
        raise NotAcceptable("the list of references has no pages: accept a stream")

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield all rows."""
        for batch in self.batches():
            yield batch.num_rows, json_lines(batch)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows."""
        for batch in self.references.batches():
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(start, BATCH_ROWS)
