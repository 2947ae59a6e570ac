"""W19 in process: statistics of a big table from metadata alone, first computed and repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from benchmarks.lakes import NAME, Lake, Lakes
from benchmarks.measuring import Row, Times, timed
from benchmarks.planning import Sizes, day
from lakemuster.catalog import statistics
from lakemuster.catalog.column_statistics import columns_of
from lakemuster.catalog.filters import Filter
from lakemuster.planner.rows import START
from lakemuster.planner.statistics.column_statistics import column_statistics

COLUMNS = ("id", "code", "price", "url")
"""A clustered column, random ones, and strings."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A request; ``first`` and ``again`` are targets in milliseconds of CPU."""

    name: str
    ask: Callable[[], int]
    first: float
    again: float = 50


def figures(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W19: ``stats`` without and with a filter, and ``columns`` for one column at a time."""
    lake = lakes.lake(sizes.big)
    cases = [
        _Case("stats", partial(_stats, lake, None), 1_000),
        _Case("stats, one day", partial(_stats, lake, day(3)), 1_000),
        *(_Case(f"columns, {name}", partial(_column, lake, name), 5_000) for name in COLUMNS),
    ]
    for case in cases:
        case.ask()  # maps and verifies the segments
        first = timed(lambda _, ask=case.ask: _anew(ask), range(sizes.few))  # type: ignore[misc]
        files = case.ask()
        again = timed(lambda _, ask=case.ask: ask(), range(sizes.many))  # type: ignore[misc]
        yield _row(f"{case.name}, first", case.first, first, files)
        yield _row(f"{case.name}, again", case.again, again, files)


def _row(case: str, most: float, times: Times, files: int) -> Row:
    return Row("W19", case, f"≤ {most:,.0f} ms", f"{times.p50:,.2f} ms", times.p50 <= most, times, files)


def _anew(ask: Callable[[], int]) -> None:
    statistics.forget()
    column_statistics.cache_clear()
    ask()


def _stats(lake: Lake, text: str | None) -> int:
    given = None if text is None else Filter(text)
    view = lake.services.view(NAME)
    return statistics.stats_out(lake.services, view, given, "any", None).totals.data_files


def _column(lake: Lake, name: str) -> int:
    [(_, row)] = columns_of(lake.services, lake.services.view(NAME), [name]).batches(START)
    return int(row.column("files")[0].as_py())
