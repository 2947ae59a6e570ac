"""The compiled kernel that joins parts of rows, against Arrow's functions and its source run as plain Python."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import numpy as np
import orjson
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakemuster.errors import SegmentCorrupt
from lakemuster.wire.json_kernel import kernel
from lakemuster.wire.json_kernel.columns import (
    ALWAYS,
    NEVER,
    UNSAFE,
    Dates,
    Integers,
    JsonTexts,
    Lists,
    RowPart,
    Strings,
)
from lakemuster.wire.json_kernel.native import join_native, run_compiled
from lakemuster.wire.texts import join_plain

INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 2, 2**53 + 2) | st.integers(-101, 101)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.text(
    '"\\\x00\x1f\x7f\b\t\n\f\r', max_size=4
)
DAYS = (
    st.integers(kernel.FIRST_DAY - 2, kernel.FIRST_DAY + 800) | st.integers(-(2**31), 2**31 - 1) | st.integers(0, 9999)
)
LIMITS = st.sampled_from([ALWAYS, UNSAFE, NEVER])
MOST_ROWS = 5


run_plain = np.errstate(over="ignore")(kernel.join)
"""The kernel's source as plain Python: an index beyond an array raises."""


@st.composite
def columns(draw: st.DrawFn, start: int, rows: int) -> RowPart:
    """Draw a row part of any kind, a slice of a longer array as in pages."""

    def array(values: st.SearchStrategy[object], kind: pa.DataType) -> pa.Array:
        chosen = st.none() | values if draw(st.booleans()) else values
        length = start + rows + draw(st.integers(0, 2))
        return pa.array(draw(st.lists(chosen, min_size=length, max_size=length)), kind).slice(start, rows)

    match draw(st.integers(0, 6)):
        case 0:
            return draw(TEXTS)
        case 1:
            return Strings(array(TEXTS, pa.string()))
        case 2:
            small = draw(st.booleans())
            of = st.integers(-(2**31), 2**31 - 1) if small else INTEGERS
            return Integers(array(of, pa.int32() if small else pa.int64()), draw(LIMITS))
        case 3:
            return Dates(array(DAYS, pa.int32()).view(pa.date32()))
        case 4:
            return Lists(array(st.lists(INTEGERS, max_size=3), pa.list_(pa.int64())), draw(LIMITS))
        case 5:
            return Lists(array(st.lists(st.none() | INTEGERS, max_size=2), pa.list_(pa.int64())), draw(LIMITS))
        case _:
            return JsonTexts(array(TEXTS, pa.string()), quoted=draw(st.booleans()))


@st.composite
def rows_of_pieces(draw: st.DrawFn) -> tuple[list[RowPart], int]:
    """Draw row parts, and their number of rows."""
    rows = draw(st.integers(1, MOST_ROWS))
    start = draw(st.integers(0, 12))
    pieces = draw(st.lists(columns(start, rows), max_size=4))
    return [*pieces, pa.array(list(map(str, range(rows))))], rows


@given(rows_of_pieces())
def test_machine_code_writes_what_arrow_writes(given_pieces: tuple[list[RowPart], int]) -> None:
    pieces, rows = given_pieces
    expected = join_plain(pieces, rows).to_pylist()
    for run in (run_compiled, run_plain):
        joined = join_native(pieces, rows, run)
        joined.validate(full=True)
        assert joined.to_pylist() == expected


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_texts_are_escaped_as_json(texts: list[str]) -> None:
    assert join_native([Strings(pa.array(texts))], len(texts)).to_pylist() == [
        orjson.dumps(text).decode() for text in texts
    ]


@given(st.lists(st.dates(), min_size=1, max_size=4))
def test_days_are_those_of_the_calendar(days: list[dt.date]) -> None:
    assert join_native([Dates(pa.array(days))], len(days)).to_pylist() == [f'"{day.isoformat()}"' for day in days]


def test_every_day_of_four_digits() -> None:
    days = pa.array(np.arange(kernel.FIRST_DAY, kernel.LAST_DAY + 1, dtype=np.int32)).view(pa.date32())
    assert join_native([Dates(days)], len(days)).equals(Dates(days).whole())


WORD = st.integers(0, 6) | st.integers(0, 40) | st.sampled_from([2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1])


def words(of: Sequence[int]) -> np.ndarray:
    return np.fromiter(of, np.uint64)


@given(
    st.binary(max_size=30),
    st.lists(WORD, max_size=12),
    st.lists(st.integers(0, 1), max_size=6),
    st.lists(st.tuples(st.integers(0, 8), WORD, WORD, WORD), max_size=4),
    st.integers(0, 3),
    st.integers(0, 60),
)
@example(b"", [7], [], [(kernel.INTEGER, 2**64 - 1, 0, 1)], 2, 60)
@example(b"a", [0, 1], [], [(kernel.ESCAPED, 2**64 - 2, 0, 1)], 3, 60)
def test_no_program_reads_or_writes_beyond_its_arrays(
    texts: bytes, numbers: list[int], flags: list[int], program: list[tuple[int, ...]], rows: int, room: int
) -> None:
    verdicts, written = [], []
    for run in (run_plain, run_compiled):
        octets, ends = np.zeros(room, np.uint8), np.zeros(rows + 1, np.uint32)
        given_arrays = (np.frombuffer(texts, np.uint8), words(numbers), np.array(flags, np.uint8))
        verdict = run(
            *given_arrays,
            words([word for operation in program for word in operation]).reshape(-1, 4),
            np.uint64(rows),
            octets,
            ends,
        )
        verdicts.append(verdict)
        written.append((octets[: ends[-1]].tobytes(), ends.tolist()) if verdict == kernel.DONE else None)
    assert verdicts[0] == verdicts[1]
    assert written[0] == written[1]


def test_texts_beyond_their_column_are_refused() -> None:
    offsets = pa.py_buffer(np.array([0, 4, 2, 3], np.int32))
    broken = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"abc"))
    for column in (Strings(broken), JsonTexts(broken), JsonTexts(broken, quoted=True)):
        with pytest.raises(SegmentCorrupt, match="exceed their column"):
            join_native([column], 3)
