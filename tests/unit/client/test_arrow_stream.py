"""Arrow streams are read from pieces of any size; an incomplete stream is an error."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from lakemuster.client import AnswerIncomplete
from lakemuster.client.arrow_stream import ArrowStream
from tests.unit.client.answers import arrow

BATCH = pa.record_batch({"a": list(range(50_000)), "b": [str(number) for number in range(50_000)]})
WHOLE = arrow([BATCH, BATCH], {"count": "100000", "snapshot_id": "7"}).content


def pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


@pytest.mark.parametrize("size", [1_000, 65_536, 1_000_000, 10_000_000])
def test_batches_larger_than_the_pieces_that_arrive_are_read_whole(size: int) -> None:
    stream = ArrowStream(pieces(WHOLE, size), snapshot_id="7")
    assert list(stream) == [BATCH, BATCH]


@pytest.mark.parametrize("missing", [20, 100, 500_000, len(WHOLE) - 400])
def test_a_stream_that_breaks_off_is_told(missing: int) -> None:
    with pytest.raises(AnswerIncomplete):
        ArrowStream(pieces(WHOLE[:-missing], 65_536), snapshot_id="7").table()
