"""Bugs to plant: plausible misreadings of Paimon's rules, which the oracle must catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon import bucketing, columns, folding, options, simple_stats, table_format
from lakemuster.planner.paimon import buckets, groups, merge_groups, reading, statistics, vectors
from lakemuster.planner.pruning import prune
from lakemuster.planner.pruning import statistics as entry_statistics
from lakemuster.planner.scan import selection
from tests.unit.planner.oracle.planting import Bug, Patch, Planted, instead

PLANTED = Planted()
planted = PLANTED.named


def said(patch: Patch, owner: Any, name: str, value: Any) -> None:
    """Replace a property by a constant."""
    patch.setattr(owner, name, property(lambda _: value))


# ---------------------------------------------------------------------------- live files


def without(*names: str) -> Bug:
    def plant(patch: Patch) -> None:
        kept = tuple(name for name in folding.IDENTITY_COLUMNS if name not in names)
        patch.setattr(folding, "IDENTITY_COLUMNS", kept)

    return plant


planted("an entry's identity is without its level", "merging")(without("level"))
planted("an entry's identity is without its extra files")(without("extra_files"))


@planted("deletions cancel only what stands before them")
def _(patch: Patch) -> None:
    def live_rows(tables: Any) -> Any:
        real = folding.live_rows(tables)
        for number, table in enumerate(tables):
            before = folding.live_rows(tables[: number + 1])[number]
            real[number] = before if table.num_rows else real[number]
        return real

    patch.setattr(table_format, "live_rows", live_rows)


@planted("cancelled entries are planned")
def _(patch: Patch) -> None:
    def live(scan: Any, part: Any, entries: pa.Table, start: int) -> Any:
        return np.asarray(entries.column("status").to_numpy() == 1)

    patch.setattr(selection, "live", live)


# ---------------------------------------------------------------------------- what a scan sees


@planted("level 0 is read where deletion vectors do not know it", "vectors")
def _(patch: Patch) -> None:
    said(patch, options.TableOptions, "skips_level_0", False)


@planted("first-row tables show level 0", "first-row")
def _(patch: Patch) -> None:
    instead_property(
        patch, options.TableOptions, "skips_level_0", lambda real: lambda own: real(own) and own.deletion_vectors
    )


def instead_property(patch: Patch, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    real = getattr(owner, name)
    get = real.fget if isinstance(real, property) else real.func
    patch.setattr(owner, name, property(make(get)))


@planted("files that wait for their bucket are read", "postpone")
def _(patch: Patch) -> None:
    said(patch, reading.PaimonReading, "least_bucket", None)


@planted("manifests up to the least level are left out", "first-row")
def _(patch: Patch) -> None:
    real = reading.PaimonReading.manifests

    def manifests(own: Any, headers: Any, *more: Any) -> Any:
        high = np.array([h.max_level is None or h.max_level > own.least_level for h in headers], np.bool_)
        return real(own, headers, *more) & (high | (own.least_level == 0))

    patch.setattr(reading.PaimonReading, "manifests", manifests)


@planted("deletion vectors are forgotten", "vectors")
def _(patch: Patch) -> None:
    patch.setattr(vectors.VectorIndex, "match", lambda own, entries: pa.nulls(entries.num_rows, vectors.VECTOR_TYPE))


@planted("every file has the first deletion vector of its snapshot", "vectors")
def _(patch: Patch) -> None:
    def match(own: Any, entries: pa.Table) -> Any:
        first = np.zeros(entries.num_rows, np.int64)
        return own.vectors.take(pa.array(first, mask=first == len(own)))

    patch.setattr(vectors.VectorIndex, "match", match)


# ---------------------------------------------------------------------------- rows of one key


@planted("values drop single files whose rows are merged", "merging")
def _(patch: Patch) -> None:
    said(patch, reading.PaimonReading, "single_file_statistics", ("values", "keys"))


@planted("buckets of partial updates go when no file matches", "partial")
def _(patch: Patch) -> None:
    said(patch, options.TableOptions, "buckets_can_go", True)


@planted("buckets never go")
def _(patch: Patch) -> None:
    said(patch, options.TableOptions, "buckets_can_go", False)


def bucket_rule(make: Callable[[Any, Any, Any], tuple[Any, Any]]) -> Bug:
    def plant(patch: Patch) -> None:
        def wrong(real: Callable[..., Any]) -> Callable[..., Any]:
            def kept(bucket: Any, level: Any, match: Any, *, may_drop_group: bool) -> Any:
                return real(*make(bucket, level, match), match, may_drop_group=may_drop_group)

            return kept

        instead(patch, merge_groups, "kept_by_bucket", wrong)

    return plant


planted("files of level 0 stand for themselves", "merging")(bucket_rule(lambda b, level, m: (b, level + 1)))
planted("files of all levels stand for themselves", "merging")(bucket_rule(lambda b, level, m: (b, level * 0 + 1)))
planted("all buckets are one")(bucket_rule(lambda b, level, m: (b * 0, level)))


@planted("a bucket's number is its own in every partition", "keyed")
def _(patch: Patch) -> None:
    said(patch, merge_groups.Members, "bucket", None)
    patch.setattr(merge_groups.Members, "bucket", property(lambda own: own.numbers("bucket")))


@planted("statistics of keys are not used", "keyed")
def _(patch: Patch) -> None:
    instead_property(
        patch,
        reading.PaimonReading,
        "single_file_statistics",
        lambda real: lambda own: tuple(of for of in real(own) if of != "keys"),
    )
    patch.setitem(statistics._COLUMNS, "keys", ("none", "none", "none"))


# ---------------------------------------------------------------------------- reading together


@planted("sections end before the key they share", "merging")
def _(patch: Patch) -> None:
    def sections(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(group: Any, minima: Any, maxima: Any) -> Any:
            return np.arange(len(group))

        return wrong

    instead(patch, merge_groups, "key_sections", sections)


@planted("rows that delete do not need merging", "merging")
def _(patch: Patch) -> None:
    for name in ("raw_convertible", "whole_groups"):
        instead(
            patch,
            merge_groups,
            name,
            lambda real: lambda *of, merged: real(*of[:-1], of[-1] * 0, merged=merged),
        )


@planted("tables with deletion vectors never merge", "vectors")
def _(patch: Patch) -> None:
    instead(
        patch,
        merge_groups,
        "raw_convertible",
        lambda real: lambda *of, merged: real(*of, merged=merged) | (of[2] > -1 if merged else False),
    )


@planted("splits cut sections", "merging")
def _(patch: Patch) -> None:
    def splits(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(bucket: Any, size: Any, section: Any, whole: Any, **of: Any) -> Any:
            return real(bucket, size, section, np.ones(len(bucket), np.bool_), **of)

        return wrong

    instead(patch, merge_groups, "merge_tree_splits", splits)


# ---------------------------------------------------------------------------- buckets of keys


@planted("the table's number of buckets is every entry's", "buckets")
def _(patch: Patch) -> None:
    real = buckets.BucketFilter.any_between

    def between(own: Any, least: Any, most: Any, total: Any) -> Any:
        return real(own, least, most, np.where(total > 0, 3, total))

    patch.setattr(buckets.BucketFilter, "any_between", between)


@planted("the remainder of a hash is Python's", "buckets")
def _(patch: Patch) -> None:
    patch.setattr(buckets, "buckets_of", lambda function, codes, total: np.mod(codes, total))


@planted("hashes of Hive keep their sign", "buckets")
def _(patch: Patch) -> None:
    patch.setattr(bucketing, "_INT_MAX", -1)


@planted("the default function stands for all", "buckets")
def _(patch: Patch) -> None:
    patch.setattr(buckets, "_function", lambda _: bucketing.BucketFunction.DEFAULT)


@planted("only the first value of IN is hashed", "buckets")
def _(patch: Patch) -> None:
    instead(patch, buckets, "pinned", lambda real: lambda *of: None if (k := real(*of)) is None else k[:1])


@planted("buckets are not pruned", "buckets")
def _(patch: Patch) -> None:
    patch.setattr(reading, "bucket_filter", lambda *_: None)


# ---------------------------------------------------------------------------- schema evolution


@planted("statistics are of the newest schema, whatever the file's", "casts")
def _(patch: Patch) -> None:
    patch.setattr(simple_stats, "schema_of", lambda schemas, _: schemas[max(schemas)])


@planted("bounds of texts are used for the numbers they became", "casts")
def _(patch: Patch) -> None:
    patch.setattr(statistics, "_reads_alike", lambda then, now: True)
    patch.setattr(statistics, "cast_or_none", lambda values, target: pc.cast(values, target, safe=False))


@planted("bounds of narrower integers are not used", "casts")
def _(patch: Patch) -> None:
    patch.setattr(statistics, "_reads_alike", lambda then, now: then == now)


@planted("a column that a file's schema does not have is unknown", "casts")
def _(patch: Patch) -> None:
    patch.setattr(statistics.Evolution, "absent_in", lambda *_: ())


@planted("columns of one name are one column", "casts")
def _(patch: Patch) -> None:
    def candidates(real: Callable[..., Any]) -> Callable[..., Any]:
        seen: dict[str, Any] = {}

        def wrong(schema: Any, names: Any) -> Any:
            if schema.schema_id == 0:
                seen.clear()
            for field in schema.fields:
                seen.setdefault(field.name, field)
            return [
                [None if field is None else seen.get(field.name, field) for field in fields]
                for fields in real(schema, names)
            ]

        return wrong

    instead(patch, simple_stats, "_candidates", candidates)


# ---------------------------------------------------------------------------- rows over several files


@planted("files of one range of row ids go alone", "evolved")
def _(patch: Patch) -> None:
    said(patch, reading.PaimonReading, "single_file_statistics", ("values",))
    said(patch, reading.PaimonReading, "drop_group", None)


@planted("the oldest file of a column holds", "evolved")
def _(patch: Patch) -> None:
    real = groups.Providers

    def providers(group: Any, first: Any, rows: Any, newest: Any, *more: Any) -> Any:
        return real(group, first, rows, newest.max(initial=0) - newest, *more)

    patch.setattr(merge_groups, "Providers", providers)


@planted("every file has every column", "evolved")
def _(patch: Patch) -> None:
    patch.setattr(statistics.FileStatistics, "held", lambda own, field_id, ids: own._of_schemas(ids))


@planted("ranges of row ids never go", "evolved")
def _(patch: Patch) -> None:
    patch.setattr(merge_groups, "_row_ids_kept", lambda scan, files, bound: np.ones(len(files.row), np.bool_))


@planted("each file of a range of row ids is read alone", "evolved")
def _(patch: Patch) -> None:
    patch.setattr(merge_groups, "row_ranges", lambda group, *_: np.arange(len(group)))


# ---------------------------------------------------------------------------- statistics


@planted("an unknown count of nulls is none")
def _(patch: Patch) -> None:
    real = entry_statistics.counts
    patch.setattr(statistics, "counts", lambda values: np.maximum(real(values), 0))


@planted("bounds that are null mean that all values are")
def _(patch: Patch) -> None:
    def read(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(own: Any, field_id: int) -> Any:
            found = real(own, field_id)
            if found is None or found.lower is None:
                return found
            nulls = np.where(found.lower.is_null().to_numpy(zero_copy_only=False), found.value_count, found.null_count)
            return prune.FieldStats(found.lower, found.upper, nulls, None, found.value_count)

        return wrong

    instead(patch, statistics.FileStatistics, "_read", read)


@planted("the upper bound of a text is one of its values", "append")
def _(patch: Patch) -> None:
    """A writer raises the last character of a truncated upper bound; the bug drops it."""

    def bounds(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(table: Any, field_id: int, kind: str, *more: Any) -> Any:
            found = real(table, field_id, kind, *more)
            if kind != "upper" or found is None or not pa.types.is_string(found.type):
                return found
            return pc.utf8_slice_codeunits(found, 0, 1)

        return wrong

    instead(patch, statistics, "_bounds", bounds)


@planted("inverted bounds enclose nothing")
def _(patch: Patch) -> None:
    patch.setattr(columns, "inverted", lambda _: ())


@planted("no text and null are one partition")
def _(patch: Patch) -> None:
    def read(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(own: Any, field_id: int) -> Any:
            name = f"partition.{field_id}"
            if name in own.table.column_names and pa.types.is_string(own.table.schema.field(name).type):
                values = own.table.column(name).combine_chunks()
                blank = pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)
                place = own.table.column_names.index(name)
                own = type(own)(own.table.set_column(place, name, blank), own.rows, own.field_ids)
            return real(own, field_id)

        return wrong

    instead(patch, entry_statistics.PartitionStatistics, "_read", read)
