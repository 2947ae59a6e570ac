"""Detect whether Spark plans each use of a frame separately; only then are filters pushed down by default.

If uses share a plan, a frame with two different filters loses rows (see ``reader``). Versions known to share the plan
are listed; any other is tested with a data source of three rows that returns only rows matching the pushed filter.
Needs PySpark 4.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, Filter, InputPartition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAME = "lakemuster_pushdown_trial"
SHARED = re.compile(r"4\.[123]\.")
"""Versions known to share one plan between all uses of a frame."""
_ALL = [1, 2, 3]


class Trial(DataSource):  # type: ignore[misc]  # PySpark is not installed where mypy runs
    """A data source of three rows, for the test."""

    @classmethod
    def name(cls) -> str:
        """Return the name for ``format(...)``."""
        return NAME

    def schema(self) -> str:
        """Return the columns: a number, and whether a filter was pushed."""
        return "number int, is_pushed boolean"

    def reader(self, schema: object) -> TrialReader:
        """Return a reader that applies the pushed filter."""
        return TrialReader()


class TrialReader(DataSourceReader):  # type: ignore[misc]  # PySpark is not installed where mypy runs
    """Returns one row if a filter ``number = …`` was pushed, all rows otherwise."""

    def __init__(self) -> None:
        self._number: int | None = None

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 - Spark's name
        """Remember the number; Spark evaluates all filters again."""
        for one in filters:
            if isinstance(one, EqualTo):
                self._number = one.value
        return filters

    def partitions(self) -> Sequence[InputPartition]:
        """Return one partition."""
        return [InputPartition(0)]

    def read(self, partition: InputPartition) -> Iterator[tuple[int, bool]]:
        """Yield the rows that match the pushed filter."""
        for number in _ALL:
            if self._number in (None, number):
                yield number, self._number is not None


def plans_each_use_separately(spark: SparkSession) -> bool:
    """Return whether this session pushes filters, and each use of a frame gets its own filters.

    False also if this cannot be determined. On a version that is not listed, this runs a few small queries.
    """
    if SHARED.match(spark.version):
        return False
    try:
        spark.dataSource.register(Trial)
        frame = spark.read.format(NAME).load()
        return uses_are_isolated(lambda: frame)
    except Exception:  # noqa: BLE001 - whatever the session refuses, pushdown by default is not safe then
        return False


def uses_are_isolated(use: Callable[[], DataFrame]) -> bool:
    """Return whether filters on a frame over :class:`Trial` are pushed, and each use of the frame returns its own rows.

    Args:
        use: returns the frame, for each use of it.
    """
    first = use().where("number = 1").collect()
    if [tuple(row) for row in first] != [(1, True)]:
        return False
    found = [
        use(),
        use().where("number = 1").union(use().where("number = 2")),
        use().where("number = 3").union(use()),
        use().union(use().where("number = 3")),
        use(),
    ]
    expected = [_ALL, [1, 2], [1, 2, 3, 3], [1, 2, 3, 3], _ALL]
    return [sorted(row[0] for row in one.collect()) for one in found] == expected
