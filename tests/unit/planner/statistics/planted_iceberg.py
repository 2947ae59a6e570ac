"""Bugs to plant in statistics of Iceberg tables: plausible mistakes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from lakemuster.metadata.types import arrow_type
from lakemuster.planner.statistics import (
    column_statistics,
    delete_files,
    numbers,
    table_statistics,
    text_order,
)
from tests.unit.planner.oracle.planting import Patch, Planted, instead

PLANTED = Planted()
planted = PLANTED.named


@planted("a bucket of the histogram holds its upper end")
def _(patch: Patch) -> None:
    instead(patch, table_statistics, "by_size", lambda real: lambda sizes: real(np.maximum(sizes - 1, 0)))


@planted("the histogram has gaps")
def _(patch: Patch) -> None:
    instead(patch, table_statistics, "histogram", lambda real: lambda counted: [of for of in real(counted) if of.files])


@planted("the target size is in kilobytes")
def _(patch: Patch) -> None:
    def in_kilobytes(real: Any) -> Any:
        return lambda sizes, target, least, rule: real(sizes, target, least >> 10, rule)

    instead(patch, table_statistics, "small_files", in_kilobytes)


@planted("figures are of the last files alone")
def _(patch: Patch) -> None:
    instead(patch, table_statistics, "united", lambda real: lambda groups: real({of.key: of for of in groups}.values()))


@planted("partitions are counted by the sizes of the first files")
def _(patch: Patch) -> None:
    def first(real: Any) -> Any:
        return lambda codes, count, values: real(codes, count, np.resize(values[:1], len(values)))

    instead(patch, table_statistics, "sums", first)


@planted("a quantile is the next number")
def _(patch: Patch) -> None:
    patch.setattr(numbers, "nearest_rank", lambda count, percent: min(count * percent // 100, count - 1))


@planted("deleted entries are counted")
def _(patch: Patch) -> None:
    from lakemuster.planner.scan import packs, selection

    patch.setattr(selection, "undeleted", lambda entries: np.ones(entries.num_rows, np.bool_))
    instead(patch, packs, "_numbers", lambda real: lambda *of: real(*of) * 0 if of[-1] == "status" else real(*of))


@planted("partitions of all specs are counted together")
def _(patch: Patch) -> None:
    def together(real: Any) -> Any:
        return lambda files, sizes: replace(
            real(files, sizes), count=max((of.partitions()[0] for of in files), default=0)
        )

    instead(patch, table_statistics, "_partitions", together)


@planted("rows that are not recorded count as -1")
def _(patch: Patch) -> None:
    patch.setattr(table_statistics, "known_sum", lambda values: int(values.sum()))


@planted("vectors of one file are one")
def _(patch: Patch) -> None:
    instead(
        patch, delete_files._Entries, "_kind", lambda real: lambda *of: replace(found := real(*of), count=found.files)
    )


@planted("bytes of a shared file are counted for each vector")
def _(patch: Patch) -> None:
    def all_of_them(real: Any) -> Any:
        return lambda self, mask: replace(real(self, mask), bytes=int(self.sizes[mask].sum()))

    def by_kind(self: Any, chosen: Any) -> Any:
        kinds = (chosen & self.is_position, chosen & self.is_equality, chosen & self.is_vector)
        return delete_files.DeletesByKind(*map(self._kind, kinds))

    instead(patch, delete_files._Entries, "_kind", all_of_them)
    patch.setattr(delete_files._Entries, "by_kind", by_kind)


@planted("a dangling delete file is missed when others of its kind apply")
def _(patch: Patch) -> None:
    def by_kind(real: Any) -> Any:
        def own(self: Any, chosen: Any) -> Any:
            for of_kind in (self.is_position, self.is_equality, self.is_vector):
                if (~chosen & of_kind).any():
                    chosen = chosen & ~of_kind
            return real(self, chosen)

        return own

    instead(patch, delete_files._Entries, "by_kind", by_kind)


@planted("delete files are counted in place of data files that carry them")
def _(patch: Patch) -> None:
    def of(real: Any) -> Any:
        def counted(plan: Any, entries: Any) -> Any:
            found = real(plan, entries)
            return replace(found, data_files=int(found.attached.sum()))

        return counted

    instead(patch, delete_files._Matched, "of", of)


@planted("equality deletes delete as many rows as they have")
def _(patch: Patch) -> None:
    def of(real: Any) -> Any:
        return lambda tables, index: replace(found := real(tables, index), is_equality=np.zeros_like(found.is_equality))

    instead(patch, delete_files._Entries, "of", of)


@planted("position deletes never repeat a position")
def _(patch: Patch) -> None:
    def exact(self: Any, entries: Any) -> Any:
        rows = int(entries.records[self.attached & ~entries.is_equality].sum())
        return delete_files.RowsDeleted(max(rows, self.lower), self.upper, "")

    patch.setattr(delete_files._Matched, "rows_deleted", exact)


@planted("a missing upper bound is the lower one")
def _(patch: Patch) -> None:
    def narrowed(real: Any) -> Any:
        return lambda lower, upper, kind: real(lower, pc.coalesce(upper, lower), kind)

    instead(patch, column_statistics, "bound_order", narrowed)


@planted("a file without bounds counts nowhere")
def _(patch: Patch) -> None:
    def of_bounded(real: Any) -> Any:
        return lambda order, holding: real(order, holding & (order.has_lower | order.has_upper))

    instead(patch, column_statistics, "overlap", of_bounded)


@planted("a file of nulls counts as one without bounds")
def _(patch: Patch) -> None:
    patch.setattr(column_statistics, "nothing_ordered", lambda _, __, rows: np.zeros(rows, np.bool_))


@planted("a file ends before its upper bound")
def _(patch: Patch) -> None:
    def ends(real: Any) -> Any:
        def order(*of: Any) -> Any:
            found = real(*of)
            return found._replace(upper=found.upper - (found.upper > found.lower))

        return order

    instead(patch, column_statistics, "bound_order", ends)


@planted("texts are compared by their first eight bytes")
def _(patch: Patch) -> None:
    patch.setattr(text_order, "_shared", np.zeros_like)


@planted("a count that is not recorded is 0")
def _(patch: Patch) -> None:
    def add(self: Any, values: Any) -> None:
        if values is not None:
            self.total += int(np.maximum(values, 0).sum())
            self.files += len(values)

    patch.setattr(column_statistics.Counted, "add", add)


@planted("bounds in a former type are not converted")
def _(patch: Patch) -> None:
    def same(real: Any) -> Any:
        return lambda bounds, kind: real(bounds, kind) if bounds is None or bounds.type == arrow_type(kind) else None

    instead(patch, column_statistics, "comparable", same)
