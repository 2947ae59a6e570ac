"""Find bounds that enclose no value: a lower bound above the upper one, as some writers record them.

Nothing follows from such a pair: either bound may be the wrong one.

Source: ClickHouse issues 116499, 118113 and 119171.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.numbers import order_type

_FEW_ROWS = 2048
"""Columns of at most this number of rows are looked at together: a call costs more than their comparison."""

_FEW_BYTES = 2**28
"""Columns of more bytes are not looked at together: they could exceed an Arrow array."""

Mask = NDArray[np.bool_]
Pair = tuple[pa.Array, pa.Array]


def is_inverted(lower: object, upper: object) -> bool:
    """Return whether a lower bound in its internal form is above an upper one; False if either is None or NaN."""
    return type(lower) is type(upper) and lower is not None and bool(lower > upper)  # type: ignore[operator]


def inverted(pairs: Sequence[Pair]) -> Iterator[tuple[int, Mask]]:
    """Yield the numbers of the pairs with a lower bound above the upper one, and the rows of these.

    Args:
        pairs: lower and upper bounds of some columns; both of one column's type, all of the same number of rows.
    """
    for numbers in together(*zip(*pairs, strict=True)):
        lower, upper = (joined([pairs[number][side] for number in numbers]) for side in (0, 1))
        yield from rows_of(numbers, _above(lower, upper))


def together(*sides: Sequence[pa.Array]) -> Iterator[list[int]]:
    """Yield the numbers of columns to look at together: of one type, if they are small; else one by one.

    Args:
        sides: lower and upper bounds of some columns, or one of them.
    """
    columns = sides[0] if sides else ()
    if not columns or not len(columns[0]):
        return
    if len(columns[0]) > _FEW_ROWS:
        yield from ([number] for number in range(len(columns)))
        return
    groups: dict[pa.DataType, list[int]] = {}
    for number, values in enumerate(columns):
        groups.setdefault(values.type, []).append(number)
    for of, numbers in groups.items():
        some = [] if len(numbers) == 1 or order_type(of) else [side[number] for side in sides for number in numbers]
        if sum(values.buffers()[-1].size for values in some if values.buffers()[-1]) > _FEW_BYTES:
            yield from ([number] for number in numbers)
        else:
            yield numbers


def joined(columns: Sequence[pa.Array]) -> pa.Array:
    """Return columns one after another as one array."""
    return columns[0] if len(columns) == 1 else pa.concat_arrays(columns)


def rows_of(numbers: Sequence[int], found: Mask | None) -> Iterator[tuple[int, Mask]]:
    """Divide a mask of joined columns by column; yield those with rows in it."""
    if found is not None:
        masks = found.reshape(len(numbers), -1)
        yield from ((numbers[at], masks[at]) for at in np.flatnonzero(masks.any(axis=1)).tolist())


def _above(lower: pa.Array, upper: pa.Array) -> Mask | None:
    form = order_type(lower.type)
    if form is None:
        if pa.types.is_fixed_size_binary(lower.type):
            lower, upper = lower.cast(pa.binary()), upper.cast(pa.binary())
        verdicts = pc.greater(lower, upper)
        return np.asarray(verdicts.fill_null(False).to_numpy(zero_copy_only=False)) if verdicts.true_count else None
    width = lower.type.bit_width // 8
    words = width // form.itemsize
    numbers, others = (
        np.frombuffer(bounds.buffers()[1], form, len(bounds) * words, bounds.offset * width)[::words]
        for bounds in (lower, upper)
    )
    above = numbers > others
    if not above.any():
        return None
    for bounds in (lower, upper):
        if bounds.null_count:
            above &= bounds.is_valid().to_numpy(zero_copy_only=False)
    return above
