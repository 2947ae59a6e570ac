"""The client's methods about the files below a location."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakemuster.client.transport import Transport

if TYPE_CHECKING:
    import pyarrow as pa


class LocationReferences:
    """The part of ``Client`` about locations."""

    _transport: Transport

    def references(self, location: str, *, index: bool = False) -> Iterator[pa.RecordBatch]:
        """Yield every file that the tables sharing a location refer to, in columns ``kind, location, name``.

        A row with a ``name`` means every file of that name below ``location``, or anywhere if that is empty. A file may
        be repeated, and files elsewhere are included. Needs the role ``admin`` for the location and its tables.

        Args:
            index: have the server index missing snapshots first, and wait for it.

        Raises:
            ClientError: ``references_unknown`` if not all are known, with the reasons in its context's ``refused``;
                ``AnswerIncomplete`` if the stream does not end with its count.
        """
        # pyarrow is slow to import.
        from lakemuster.client.arrow_stream import MEDIA_TYPE, ArrowStream  # noqa: PLC0415

        params = {"location": location, **({"index": "true"} if index else {})}
        with self._transport.stream("/references", params, MEDIA_TYPE) as response:
            yield from ArrowStream(response.iter_bytes(), snapshot_id=None)
