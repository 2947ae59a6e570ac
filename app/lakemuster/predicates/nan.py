"""The meaning of NaN in comparisons, in each mode that a caller may choose.

Engines differ:

- ``greatest``: NaN equals itself and is above every number (Spark, DuckDB, PostgreSQL, Java's ``Double.compare``);
- ``unordered``: IEEE 754, every comparison with NaN is FALSE but ``!=``, which is TRUE (Trino, standard SQL);
- ``any``: a row matches if it matches under either of these;
- ``none``: NaN and numbers have no order, and NOT is first pushed into the comparison: ``NOT x > 5`` is ``x <= 5``, and
  only ``!=`` and ``NOT IN`` are TRUE for NaN. Bounds are trusted, as in Iceberg's Java library and PyIceberg: rows of
  NaN that an SQL engine would return are lost. A NaN constant is compared as under ``greatest``.

In all modes but ``none`` a comparison is evaluated before NOT is applied: ``NOT x > 5`` is TRUE for NaN under
``unordered`` and FALSE under ``greatest``.

Bounds never prove the absence of NaN. Writers record for a chunk that holds NaN:

- parquet-java up to 1.16 orders by ``Double.compare``, so that the maximum becomes NaN, and drops such bounds when it
  reads them; later versions leave NaN out of the bounds and count it (``DoubleStatistics.updateStats``);
- Arrow C++, arrow-rs and so PyIceberg, iceberg-rust and pypaimon leave NaN out of the bounds;
- ORC compares with ``<`` and ``>``: NaN as the first value of a stride becomes both bounds, a later NaN leaves no trace
  (``ColumnStatisticsImpl.DoubleStatisticsImpl``);
- Iceberg's Java writers leave NaN out of the bounds and record the count of NaN;
- Paimon's manifests hold what the file format recorded, without a count (``ParquetSimpleStatsExtractor``,
  ``OrcSimpleStatsExtractor``).

Neither an Iceberg entry nor a Paimon entry names the writer of its file or the writer's version. Only a recorded count
of NaN, an index of the file or a partition value proves that no value is NaN.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import get_args

from lakemuster.predicates.tree import NEGATED, Op

NanMode = OneOf["any", "greatest", "unordered", "none"]
NAN_MODES: tuple[NanMode, ...] = get_args(NanMode)

Verdict = OneOf["always", "never", "maybe"]
"""Whether all values of a class (numbers or NaN) match; ``maybe`` where the readings that a mode combines differ."""

_READINGS: dict[NanMode, tuple[NanMode, ...]] = {
    "any": ("unordered", "greatest"),
    "greatest": ("greatest",),
    "unordered": ("unordered",),
    "none": ("none",),
}


def of_nan(op: Op, mode: NanMode, *, negated: bool) -> Verdict:
    """Tell whether NaN matches a comparison with a number, or its negation.

    Args:
        op: as the caller wrote it; EQ for IN, NOT_EQ for NOT IN.
    """
    return _verdict({_truth(op, reading, 2, 1, negated=negated) for reading in _READINGS[mode]})


def of_nan_with_nan(op: Op, mode: NanMode, *, negated: bool) -> Verdict:
    """Tell whether NaN matches a comparison with NaN, or its negation; ``op`` as in :func:`of_nan`."""
    return _verdict({_truth(op, reading, 2, 2, negated=negated) for reading in _READINGS[mode]})


def of_numbers_with_nan(op: Op, mode: NanMode, *, negated: bool) -> Verdict:
    """Tell whether numbers match a comparison with NaN, or its negation; ``op`` as in :func:`of_nan`."""
    return _verdict({_truth(op, reading, 1, 2, negated=negated) for reading in _READINGS[mode]})


def _verdict(answers: set[bool]) -> Verdict:
    if len(answers) > 1:
        return "maybe"
    return "always" if True in answers else "never"


def _truth(op: Op, reading: NanMode, left: int, right: int, *, negated: bool) -> bool:
    """Evaluate a comparison of two values by rank: NaN has 2, numbers have 1. At least one is NaN."""
    if reading == "none" and right == 1:
        return (NEGATED[op] if negated else op) is Op.NOT_EQ
    if reading == "unordered":
        return (op is Op.NOT_EQ) is not negated
    found = {
        Op.EQ: left == right,
        Op.NOT_EQ: left != right,
        Op.LT: left < right,
        Op.LT_EQ: left <= right,
        Op.GT: left > right,
        Op.GT_EQ: left >= right,
    }[op]
    return found is not negated
