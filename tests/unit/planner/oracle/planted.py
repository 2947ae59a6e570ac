"""Bugs to plant: plausible mistakes that the oracle must catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mmh3
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.iceberg import usable_bounds
from lakemuster.index import Index
from lakemuster.index import zones as written
from lakemuster.metadata import transforms
from lakemuster.planner import inherited
from lakemuster.planner.deletes import delete_bounds, delete_groups, deletes, partition_keys
from lakemuster.planner.pruning import (
    bounds,
    coded_statistics,
    partition_predicates,
    prune,
    residual,
    statistics,
    zones,
)
from lakemuster.planner.pruning.native import Cells
from lakemuster.planner.scan import packs, scan_index, selection, spec_index
from lakemuster.predicates import NEGATED, Op, binding, comparison_binding, projection
from tests.unit.planner.oracle.planting import Patch, Planted, instead

PLANTED = Planted()
planted = PLANTED.named


@planted("nothing is pruned")
def _(patch: Patch) -> None:
    for owner in (prune, selection, residual):
        patch.setattr(owner, "can_match", lambda _, held: np.ones(held.rows, np.bool_))


@planted("nothing is pruned by partition")
def _(patch: Patch) -> None:
    patch.setattr(partition_predicates, "project", lambda *_: None)


@planted("a bound that is equal excludes <=")
def _(patch: Patch) -> None:
    strict = {Op.LT_EQ: Op.LT, Op.GT_EQ: Op.GT}
    instead(
        patch, prune, "_cannot", lambda real: lambda leaf, c: real(replace(leaf, op=strict.get(leaf.op, leaf.op)), c)
    )


@planted("a missing bound excludes")
def _(patch: Patch) -> None:
    def passes(real: Any) -> Any:
        return lambda found, *asked: (
            real(found, *asked)
            if found is None
            else real(found, *asked) | found.is_null().to_numpy(zero_copy_only=False)
        )

    instead(patch, prune, "passes", passes)


@planted("an unknown null count is none")
def _(patch: Patch) -> None:
    patch.setattr(prune._Column, "no_nulls", property(lambda column: column.nulls <= 0))


@planted("an unknown NaN count is none", "floats")
def _(patch: Patch) -> None:
    patch.setattr(prune._Column, "no_nans", property(lambda column: column.nans <= 0))


@planted("greatest believes upper bounds of files that may hold NaN", "floats")
def _(patch: Patch) -> None:
    patch.setattr(comparison_binding, "of_nan", lambda *_, **__: "never")


_VERDICTS = ("of_nan", "of_nan_with_nan", "of_numbers_with_nan")


@planted("NOT is pushed down before the mode says what NaN is", "floats")
def _(patch: Patch) -> None:
    def pushed(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda op, mode, *, negated: real(NEGATED[op] if negated else op, mode, negated=False)

    for name in _VERDICTS:
        instead(patch, comparison_binding, name, pushed)


@planted("any is unordered", "floats")
def _(patch: Patch) -> None:
    _any_is(patch, "unordered")


@planted("any is greatest", "floats")
def _(patch: Patch) -> None:
    _any_is(patch, "greatest")


def _any_is(patch: Patch, reading: str) -> None:
    def one(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda op, mode, **of: real(op, reading if mode == "any" else mode, **of)

    for name in _VERDICTS:
        instead(patch, comparison_binding, name, one)


@planted("every mode is any", "floats")
def _(patch: Patch) -> None:
    for name in _VERDICTS:
        instead(patch, comparison_binding, name, lambda real: lambda op, _, **of: real(op, "any", **of))


@planted("NaN is below every number", "floats")
def _(patch: Patch) -> None:
    mirrored = {Op.LT: Op.GT, Op.LT_EQ: Op.GT_EQ, Op.GT: Op.LT, Op.GT_EQ: Op.LT_EQ}

    def below(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda op, mode, **of: real(mirrored.get(op, op), mode, **of)

    instead(patch, comparison_binding, "of_nan", below)


@planted("NaN branches are dropped beside what NaN matches", "floats")
def _(patch: Patch) -> None:
    patch.setattr(binding, "_NEVER_NAN", binding._NEVER_NAN | {Op.NOT_EQ, Op.NOT_IN, Op.NOT_NULL})


@planted("files of NaN only are kept for comparisons", "floats")
def _(patch: Patch) -> None:
    patch.setattr(prune._Column, "nothing_ordered", prune._Column.only_nulls)


@planted("negations forget that nulls match")
def _(patch: Patch) -> None:
    patch.setattr(prune, "_nothing_else", lambda _, column: column.no_nans)


@planted("one equal bound is enough for !=")
def _(patch: Patch) -> None:
    def only_of(column: Any, values: Any, _: Any) -> Any:
        return column.lower_is(pc.less_equal, values[0]) & column.lower_is(pc.greater_equal, values[0])

    patch.setattr(prune, "_only_of", only_of)


@planted("IN looks at its least and greatest value only")
def _(patch: Patch) -> None:
    patch.setattr(prune, "_in_gaps", lambda lower, *_: np.zeros(len(lower), np.bool_))


@planted("keys take IN for a range")
def _(patch: Patch) -> None:
    instead(
        patch, coded_statistics, "search", lambda real: lambda cells, *of: real(Cells.of(cells.values[[0, -2]]), *of)
    )


@planted("keys that touch are taken for values apart")
def _(patch: Patch) -> None:
    def outside(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(*asked: Any) -> Any:
            sure, ties = real(*asked)
            return (sure, None) if ties is None else (sure | ties, None)

        return wrong

    instead(patch, coded_statistics, "outside", outside)


@planted("marks of NaN are those of nulls", "floats")
def _(patch: Patch) -> None:
    patch.setitem(coded_statistics.MARKED, Op.IS_NAN, coded_statistics.MARKED[Op.IS_NULL])


@planted("a prefix ends where it begins", "texts")
def _(patch: Patch) -> None:
    patch.setattr(prune, "_next_prefix", lambda prefix: prefix)


@planted("one bound within the prefix is enough for NOT STARTS WITH", "texts")
def _(patch: Patch) -> None:
    def within(column: Any, prefix: Any) -> Any:
        if column.lower is None:
            return np.zeros(column.rows, np.bool_)
        start = prune._plain_bytes(prefix)
        return bounds.proven(pc.starts_with(prune._raw(column.lower), start), column.rows)

    patch.setattr(prune, "_within_prefix", within)


@planted("an unknown number of records is none")
def _(patch: Patch) -> None:
    def positive(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda bound, held: real(bound, held) & (True if held.record_count is None else held.record_count > 0)

    def some(index: Index, pack: packs.Pack) -> Any:
        found = np.concatenate([packs._numbers(index, name, "record_count") > 0 for name in pack.segments])
        standing = packs._live(index, pack)
        return found if standing is None else found & standing

    instead(patch, selection, "can_match", positive)
    patch.setitem(packs._ALIVE, False, some)


@planted("dates that became timestamps are taken for microseconds", "times")
def _(patch: Patch) -> None:
    def cast(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(values: pa.Array, target: pa.DataType) -> Any:
            if pa.types.is_date32(values.type) and pa.types.is_timestamp(target):
                return values.cast(pa.int32()).cast(pa.int64()).view(target)
            return real(values, target)

        return wrong

    for owner in (bounds, zones):
        instead(patch, owner, "cast_or_none", cast)


@planted("counts cover all rows")
def _(patch: Patch) -> None:
    patch.setattr(statistics, "covering", lambda stats, *_, **__: stats)


@planted("counts of zones cover all rows")
def _(patch: Patch) -> None:
    patch.setattr(spec_index, "_without_doubted", lambda zones, _: zones)


@planted("a column without statistics is null")
def _(patch: Patch) -> None:
    def absent(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(held: Any, field_id: int) -> Any:
            one = np.ones(held.rows, np.int64)
            return real(held, field_id) or prune.FieldStats(None, None, one, None, one)

        return wrong

    instead(patch, statistics.EntryStatistics, "field", absent)


@planted("inverted bounds enclose nothing")
def _(patch: Patch) -> None:
    patch.setattr(usable_bounds, "inverted", lambda _: ())


@planted("inverted bounds of summaries enclose nothing")
def _(patch: Patch) -> None:
    patch.setattr(usable_bounds, "is_inverted", lambda *_: False)


@planted("zero bytes at the end of a lower bound are its own", "texts")
def _(patch: Patch) -> None:
    patch.setattr(usable_bounds, "_padded", lambda _: None)


@planted("a bucket is the hash without its sign")
def _(patch: Patch) -> None:
    def bucket(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(transform: str, source: Any) -> Any:
            name, count = transforms.parse_transform(transform)
            if name != "bucket" or real(transform, source) is None:
                return real(transform, source)
            return lambda value: abs(mmh3.hash(transforms._hashed(source, value))) % count

        return wrong

    instead(patch, transforms, "transform_function", bucket)
    instead(patch, projection, "transform_function", bucket)


@planted("numbers are truncated towards zero", "numbers")
def _(patch: Patch) -> None:
    def truncate(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(source: Any, value: Any, width: int) -> Any:
            negative = isinstance(value, int) and value < 0
            return -real(source, -value, width) if negative else real(source, value, width)

        return wrong

    instead(patch, transforms, "_truncate", truncate)


@planted("years are of 366 days", "times")
def _(patch: Patch) -> None:
    def time(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(name: str, source: Any, value: int) -> Any:
            return real("day", source, value) // 366 if name == "year" else real(name, source, value)

        return wrong

    instead(patch, transforms, "_time", time)


@planted("nobody ever put times before 1970 one partition too high", "times")
def _(patch: Patch) -> None:
    for name in ("_inclusive_steps", "_strict_steps"):
        instead(patch, projection, name, lambda real: lambda *of: real(*of[:-1], None))


@planted("a truncated text is compared like a whole one", "texts")
def _(patch: Patch) -> None:
    def prefix(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(target: Any, function: Any, width: int) -> Any:
            if target.op in (Op.LT, Op.GT):
                return replace(target, values=(function(target.values[0]),))
            return real(target, function, width)

        return wrong

    instead(patch, projection, "_inclusive_prefix", prefix)


@planted("the inclusive projection is taken for the strict one")
def _(patch: Patch) -> None:
    patch.setattr(partition_predicates, "project_strict", projection.project)


@planted("all transforms are identity")
def _(patch: Patch) -> None:
    def over(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(spec: Any, schemas: Any) -> Any:
            fields = tuple(replace(own, transform="identity") for own in spec.fields)
            return real(replace(spec, fields=fields), schemas)

        return wrong

    instead(patch, scan_index, "PartitionPredicates", over)


@planted("all files of a batch have the residual of the first")
def _(patch: Patch) -> None:
    patch.setattr(residual, "FEW_ROWS", 0)
    patch.setattr(residual, "_tuples", lambda _, rows: (np.zeros(1, np.int64), np.zeros(rows, np.int64)))


@planted("all partitions are decided as the first")
def _(patch: Patch) -> None:
    instead(patch, residual, "_verdicts", lambda real: lambda *asked: [real(*asked)[0]] * len(real(*asked)))


@planted("zones pass over entries without bounds")
def _(patch: Patch) -> None:
    instead(
        patch,
        written,
        "_extremes",
        lambda real: lambda bounds, blank, *of: real(bounds, lambda: np.ones(len(bounds), np.bool_), *of),
    )


@planted("a manifest without a summary holds no nulls")
def _(patch: Patch) -> None:
    instead(patch, spec_index, "_contains_null", lambda real: lambda summary: real(summary) or False)


@planted("deleted entries are live")
def _(patch: Patch) -> None:
    patch.setattr(selection, "live", lambda *of: np.ones(of[2].num_rows, np.bool_))
    for whole in (True, False):
        patch.setitem(packs._ALIVE, whole, lambda *_: None)


@planted("entries keep the sequence numbers that they leave out")
def _(patch: Patch) -> None:
    patch.setattr(inherited, "_left_to", lambda _, name, manifests, status: pa.nulls(len(status), pa.int64()))


@planted("entries of many manifests inherit from the first of them")
def _(patch: Patch) -> None:
    instead(patch, inherited, "_left_to", lambda real: lambda of, name, own, status: real(of, name, own * 0, status))


@planted("equality deletes apply to files of their own age")
def _(patch: Patch) -> None:
    instead(patch, delete_groups.DeleteGroup, "of", lambda real: lambda *of, newer: real(*of, newer=False))


@planted("position deletes do not apply to files of their own age")
def _(patch: Patch) -> None:
    instead(patch, delete_groups.DeleteGroup, "of", lambda real: lambda *of, newer: real(*of, newer=True))


@planted("equality deletes without a partition are not for all")
def _(patch: Patch) -> None:
    patch.setattr(deletes, "is_partitioned", lambda _: True)


@planted("deletes forget that null is equal to null")
def _(patch: Patch) -> None:
    def apart(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(data: Any, delete: Any, rows: Any, numbers: Any) -> Any:
            none = np.zeros_like(data.null), np.zeros_like(delete.null)
            return real(replace(data, null=none[0]), replace(delete, null=none[1]), rows, numbers)

        return wrong

    instead(patch, delete_bounds, "_cannot", apart)


@planted("partitions of NaN differ by its bits", "floats")
def _(patch: Patch) -> None:
    def raw(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(table: pa.Table, field_id: int, target: Any) -> Any:
            name = f"partition.{field_id}"
            if name not in table.column_names or not pa.types.is_floating(table.schema.field(name).type):
                return real(table, field_id, target)
            values = table.column(name).combine_chunks()
            return values.view(pa.int32() if values.type.bit_width == 32 else pa.int64()).dictionary_encode()

        return wrong

    instead(patch, partition_keys, "_values", raw)


@planted("the bounds of paths exclude what they are equal to")
def _(patch: Patch) -> None:
    def outside(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(index: Any, locations: Any, rows: Any, numbers: Any) -> Any:
            keep = real(index, locations, rows, numbers)
            lower = index._path_bounds[0].take(pa.array(numbers))
            same = pc.fill_null(pc.equal(locations.take(pa.array(rows)), lower), False)
            return keep & ~same.to_numpy(zero_copy_only=False)

        return wrong

    instead(patch, deletes.DeleteIndex, "_may_list", outside)
