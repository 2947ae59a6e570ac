"""Bugs to plant in statistics of Paimon tables: plausible mistakes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lakemuster.planner.paimon import table_statistics as paimon
from lakemuster.planner.scan import selection
from lakemuster.planner.statistics import live_files
from tests.unit.planner.oracle.planting import Patch, Planted, instead

PLANTED = Planted()
planted = PLANTED.named


def in_rules(patch: Patch, **changes: Any) -> None:
    patch.setitem(paimon_rules(), "paimon", replace(paimon.PAIMON_STATISTICS, **changes))


def paimon_rules() -> Any:
    from lakemuster.planner.statistics.rules import STATISTICS_RULES

    return vars(STATISTICS_RULES)["_rules"]


@planted("files that a commit deleted again are counted")
def _(patch: Patch) -> None:
    patch.setattr(live_files, "live", lambda *of: np.asarray(of[2].column("status").to_numpy() == 1))


@planted("files that no read looks at are left out", "first-row")
def _(patch: Patch) -> None:
    patch.setattr(live_files, "live", selection.readable)


@planted("a level is a sorted run also where it is level 0", "keyed")
def _(patch: Patch) -> None:
    def runs(real: Any) -> Any:
        def counted(files: Any) -> Any:
            return np.minimum(real(files), 1 + np.max(real(files), initial=0) // 2)

        return counted

    instead(patch, paimon, "_sorted_runs", runs)


@planted("buckets of all partitions are one")
def _(patch: Patch) -> None:
    instead(patch, live_files.SpecFiles, "partitions", lambda real: lambda self: (1, np.zeros_like(real(self)[1])))


@planted("vectors without a data file are missed", "vectors")
def _(patch: Patch) -> None:
    patch.setattr(paimon, "_without", lambda _, some: some.slice(0, 0))


@planted("vectors without a data file delete rows", "vectors")
def _(patch: Patch) -> None:
    def every(real: Any) -> Any:
        def counted(question: Any, files: Any) -> Any:
            found = real(question, files)
            rows = found.files.deletion_vectors.records
            return replace(found, rows=replace(found.rows, lower=rows, upper=rows))

        return counted

    in_rules(patch, deletes=every(paimon.deletes))


@planted("files that a read merges are those of raw files", "keyed")
def _(patch: Patch) -> None:
    def raw(real: Any) -> Any:
        return lambda *of: replace(found := real(*of), raw_convertible=~found.raw_convertible)

    instead(patch, paimon, "merge_groups_of", raw)


@planted("a column that a file lacks is unknown there", "append")
def _(patch: Patch) -> None:
    in_rules(patch, field_columns=lambda _: [])


@planted("value statistics may not be shown, as they drop no file alone", "keyed")
def _(patch: Patch) -> None:
    in_rules(patch, statistics=lambda scan, entries: scan.rules.statistics(entries))


@planted("rows that delete a key are not counted", "keyed")
def _(patch: Patch) -> None:
    in_rules(patch, merging=lambda files: replace(paimon.merging(files), delete_rows=0))
