"""Bugs to plant in aggregates: reasons to widen an interval are ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lakemuster.planner.aggregates import answers, extremes, interval, kept_files, plain_rows, row_rules
from lakemuster.planner.pruning import partition_predicates, statistics
from lakemuster.planner.pruning.prune import FieldStats
from lakemuster.predicates import BoundAnd, BoundLeaf, BoundOr, complement, projection
from tests.unit.planner.oracle.planting import Patch, Planted, instead

PLANTED_AGGREGATES = Planted()
planted = PLANTED_AGGREGATES.named


@planted("NaN fails no comparison", "floats")
def _(patch: Patch) -> None:
    patch.setattr(complement, "_ORDERED", ())


@planted("null fails no comparison")
def _(patch: Patch) -> None:
    instead(patch, complement, "_of_leaf", lambda real: lambda leaf, _: real(leaf, lambda _: True))


@planted("what engines read in two ways proves a match", "floats")
def _(patch: Patch) -> None:
    def sure(bound: Any) -> Any:
        match bound:
            case BoundLeaf():
                return replace(bound, maybe=False)
            case BoundAnd() | BoundOr():
                return replace(bound, children=tuple(map(sure, bound.children)))
        return bound

    instead(patch, answers, "complement", lambda real: lambda bound, *of: real(sure(bound), *of))


@planted("a column that was ever required has no null")
def _(patch: Patch) -> None:
    patch.setattr(answers, "never_null", lambda field_id, _, history: any(field_id in of.required for of in history))


@planted("counts cover all rows")
def _(patch: Patch) -> None:
    patch.setattr(statistics, "covering", lambda stats, *_, **__: stats)


@planted("every planned file counts as matching whole")
def _(patch: Patch) -> None:
    patch.setattr(plain_rows.PlainRows, "prover", lambda *_: lambda files: np.ones(len(files.places), np.bool_))


@planted("the complement is projected as what must hold")
def _(patch: Patch) -> None:
    def strictly(real: Callable[..., Any]) -> Callable[..., Any]:
        def prover(rules: Any, scan: Any, of: Any) -> Any:
            with Patch.context() as own:
                own.setattr(partition_predicates, "project", projection.project_strict)
                partition_predicates._projections.clear()
                found = real(rules, scan, of)
            partition_predicates._projections.clear()
            return found

        return prover

    instead(patch, plain_rows.PlainRows, "prover", strictly)


def _kinds(patch: Patch, change: Callable[[Any, Any], tuple[Any, Any]]) -> None:
    instead(patch, plain_rows, "_deletes_of", lambda real: lambda scan: change(*real(scan)))


@planted("deletion vectors delete nothing")
def _(patch: Patch) -> None:
    _kinds(patch, lambda kinds, sizes: (np.where(kinds == plain_rows._VECTOR, -1, kinds), sizes))


@planted("position deletes delete nothing")
def _(patch: Patch) -> None:
    _kinds(patch, lambda kinds, sizes: (np.where(kinds == plain_rows._POSITIONS, -1, kinds), sizes))


@planted("position deletes are all of one file")
def _(patch: Patch) -> None:
    _kinds(patch, lambda kinds, sizes: (np.where(kinds == plain_rows._POSITIONS, plain_rows._VECTOR, kinds), sizes))


@planted("equality deletes delete nothing")
def _(patch: Patch) -> None:
    _kinds(patch, lambda kinds, sizes: (np.where(kinds == plain_rows._EQUALITY, -1, kinds), sizes))


@planted("an equality delete deletes one row")
def _(patch: Patch) -> None:
    _kinds(patch, lambda kinds, sizes: (np.minimum(kinds, plain_rows._POSITIONS), sizes))


@planted("a file without a row count has no rows")
def _(patch: Patch) -> None:
    def all_of(records: Any) -> Any:
        known = np.maximum(records, 0)
        return row_rules.RowsGiven(known, known)

    patch.setattr(row_rules.RowsGiven, "all_of", all_of)


@planted("nulls that are not counted are none")
def _(patch: Patch) -> None:
    instead(patch, interval.Exclusions, "nulls", lambda real: lambda *of: np.maximum(real(*of), 0))


@planted("NaN that is not counted is none", "floats")
def _(patch: Patch) -> None:
    instead(patch, interval.Exclusions, "nans", lambda real: lambda *of: np.maximum(real(*of), 0))


@planted("bounds are values of rows")
def _(patch: Patch) -> None:
    def sides(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *of, is_max: (real(*of, is_max=is_max)[0],) * 2

    instead(patch, extremes, "_sides", sides)


@planted("a missing bound is passed over")
def _(patch: Patch) -> None:
    patch.setattr(extremes._Side, "of_all", property(lambda side: side.known))


@planted("a file that may have values has some")
def _(patch: Patch) -> None:
    instead(
        patch,
        extremes.Extremes,
        "add",
        lambda real: (
            lambda self, files, *of: real(
                self, replace(files, rows=replace(files.rows, least=np.maximum(files.records, 0))), *of
            )
        ),
    )


@planted("every engine takes NaN for the greatest value", "floats")
def _(patch: Patch) -> None:
    instead(patch, answers, "Extremes", lambda real: lambda is_max, kind, _: real(is_max, kind, "greatest"))


@planted("any transform keeps values")
def _(patch: Patch) -> None:
    def by_any(spec: Any, field_id: int) -> Any:
        return [own for own in spec.projection.spec.fields if own.source_ids == (field_id,) and own.transform != "void"]

    patch.setattr(kept_files, "_identities", by_any)


@planted("columns without statistics have no nulls")
def _(patch: Patch) -> None:
    def field(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(rules: Any, files: Any, field_id: int) -> Any:
            found = real(rules, files, field_id)
            return replace(found, null_count=np.zeros(len(files.places), np.int64)) if found == FieldStats() else found

        return wrong

    instead(patch, plain_rows.PlainRows, "field", field)
