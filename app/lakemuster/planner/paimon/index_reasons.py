"""Explain in words what the indexes inside a Paimon file's entry prove about a predicate.

:mod:`~lakemuster.planner.paimon.file_indexes` gives the verdicts; only the wording is added here.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lakemuster.formats.paimon.file_index.evaluation import BLOOM_FILTER, MatchingRows
from lakemuster.planner.paimon.file_indexes import IndexedFile, files
from lakemuster.planner.paimon.statistics import Evolution
from lakemuster.planner.scan.reasons import Reason
from lakemuster.predicates import Bound, BoundAnd, BoundLeaf, BoundOr, text_of


def index_reasons(bound: Bound, entry: pa.Table, evolution: Evolution) -> Iterator[Reason]:
    """Explain every comparison that an index of one file answers.

    Args:
        entry: one row, with ``file_indexes.COLUMNS``.
    """
    (file,) = files(entry, evolution)
    yield from _of(bound, file)


def _of(bound: Bound, file: IndexedFile) -> Iterator[Reason]:
    match bound:
        case BoundAnd(children=children) | BoundOr(children=children):
            for child in children:
                yield from _of(child, file)
        case BoundLeaf():
            for kind, rows in file.index_results(bound):
                yield from _reason(bound, kind, rows)


def _reason(leaf: BoundLeaf, kind: str, rows: MatchingRows) -> Iterator[Reason]:
    named = f"the file's {kind} index on {leaf.name}"
    if rows is None:
        if kind == BLOOM_FILTER and leaf.values:
            yield Reason(text_of(leaf), leaf.name, "may match", {}, f"{named} may contain such a value")
    elif rows:
        count = f"{len(rows)} such row{'s' if len(rows) > 1 else ''}"
        yield Reason(text_of(leaf), leaf.name, "may match", {}, f"{named} has {count}")
    else:
        yield Reason(text_of(leaf), leaf.name, "cannot match", {}, f"{named} has no such row")
