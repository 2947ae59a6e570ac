"""Whether Spark plans each use of a frame by itself: only then are filters pushed down by default. Needs PySpark 4.1.

Where uses share a plan, a frame that is filtered in two ways loses rows (see ``reader``). Versions that are known to
share it are named; any other is tried, with a small data source of three rows that reads only what is pushed.
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
"""Versions of which one plan for all uses of a frame is known."""
_ALL = [1, 2, 3]


class Trial(DataSource):  # type: ignore[misc]  # PySpark is not here where this is checked
    """Three rows."""

    @classmethod
    def name(cls) -> str:
        """What ``format`` is given."""
        return NAME

    def schema(self) -> str:
        """A number, and whether a filter was pushed."""
        return "number int, is_pushed boolean"

    def reader(self, schema: object) -> TrialReader:
        """Reads the rows that are pushed."""
        return TrialReader()


class TrialReader(DataSourceReader):  # type: ignore[misc]  # PySpark is not here where this is checked
    """Reads one row when a filter ``number = …`` was pushed, all otherwise."""

    def __init__(self) -> None:
        self._number: int | None = None

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 - Spark's name
        """Remember the number."""
        for one in filters:
            if isinstance(one, EqualTo):
                self._number = one.value
        return filters

    def partitions(self) -> Sequence[InputPartition]:
        """One."""
        return [InputPartition(0)]

    def read(self, partition: InputPartition) -> Iterator[tuple[int, bool]]:
        """The rows."""
        for number in _ALL:
            if self._number in (None, number):
                yield number, self._number is not None


def plans_each_use(spark: SparkSession) -> bool:
    """Whether filters are pushed in this session, and every use of a frame reads by its own.

    False too where it cannot be found out. On a version that is not known, this runs a few small queries.
    """
    if SHARED.match(spark.version):
        return False
    try:
        spark.dataSource.register(Trial)
        frame = spark.read.format(NAME).load()
        return reads_its_own(lambda: frame)
    except Exception:  # noqa: BLE001 - whatever the session refuses, pushing by default is not safe then
        return False


def reads_its_own(use: Callable[[], DataFrame]) -> bool:
    """Whether uses of a frame over :class:`Trial` read their own rows, pushed.

    Args:
        use: gives the frame for each use of it.
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
