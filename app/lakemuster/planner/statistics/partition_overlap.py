"""The number of files of each partition whose bounds contain a value.

Pure. The depth is counted as in ``overlap``, at the lower bound of each file, but among the files of its partition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.planner.columns import partition_names, partition_struct, partition_type
from lakemuster.planner.rows import conform
from lakemuster.planner.statistics.file_bounds import FileBounds
from lakemuster.planner.statistics.numbers import Ints
from lakemuster.planner.statistics.overlap import BoundOrder, Mask
from lakemuster.planner.view import View


class PartitionDepths(NamedTuple):
    """Figures of P partitions, each (P,).

    Attributes:
        files: data files.
        samples: those with a lower bound, at which the depth is counted.
        unbounded: those without any bound, which count at every value of their partition.
        total: the sum of the depths.
        most: the greatest depth; 0 without samples.
    """

    files: Ints
    samples: Ints
    unbounded: Ints
    total: Ints
    most: Ints


def depths_in_partitions(bounds: BoundOrder, holding: Mask, partitions: Ints) -> tuple[Ints, Ints]:
    """Count at each lower bound the files of the same partition whose bounds contain it.

    Args:
        bounds: of N files; a missing one contains every value on its side.
        holding: (N,) whether a file may hold a value at all.
        partitions: (N,) numbers from 0.

    Returns:
        the files with a lower bound by their places, and the depth at each.
    """
    lower, has_lower, upper, has_upper = bounds
    holding = holding & ~(has_lower & has_upper & (lower > upper))
    places = np.flatnonzero(holding & has_lower)
    if not len(places):
        return places, np.zeros(0, np.int64)
    rows = int(holding.sum())
    _, ranks = np.unique(np.concatenate([lower[holding], upper[holding]]), return_inverse=True)
    span = 2 * rows + 2
    begins = np.where(has_lower[holding], ranks[:rows] + 1, 0) + partitions[holding] * span
    ends = np.where(has_upper[holding], ranks[rows:] + 1, span - 1) + partitions[holding] * span
    sampled = begins[has_lower[holding]]
    # Each file of an earlier partition counts once on both sides.
    depths = np.sort(begins).searchsorted(sampled, "right") - np.sort(ends).searchsorted(sampled, "left")
    return places, np.asarray(depths)


def partition_depths(bounds: BoundOrder, holding: Mask, partitions: Ints, count: int) -> PartitionDepths:
    """Sum up the depths of each of ``count`` partitions; arguments as in :func:`depths_in_partitions`."""
    places, depths = depths_in_partitions(bounds, holding, partitions)
    own = partitions[places]
    most = np.zeros(count, np.int64)
    np.maximum.at(most, own, depths)
    total = np.zeros(count, np.int64)
    np.add.at(total, own, depths)
    unbounded = partitions[holding & ~bounds.has_lower & ~bounds.has_upper]
    files, samples, open_files = (np.bincount(of, minlength=count) for of in (partitions, own, unbounded))
    return PartitionDepths(files, samples, open_files, total, most)


def overlap_table(found: FileBounds, view: View) -> pa.Table:
    """Return a row for each partition that has data files, by its values and its spec."""
    target = partition_type(view.metadata.specs, view.schemas)
    names = partition_names(view.metadata.specs)
    wanted = pa.schema([pa.field("p", target)])
    values, specs = [pa.nulls(0, target)], []
    for of in found.specs:
        own = partition_struct(of.entries, of.spec.projection.spec, names)
        values.append(conform(pa.RecordBatch.from_arrays([own], names=["p"]), wanted).column(0))
        specs += [of.spec.spec_id] * of.entries.num_rows
    depths = partition_depths(found.order(), found.holding, found.partitions, len(specs))
    none = depths.samples == 0
    rows = pa.table(
        {
            "partition": pa.concat_arrays(values),
            "spec_id": pa.array(specs, pa.int32()),
            "file_count": depths.files,
            "samples": depths.samples,
            "unbounded_files": depths.unbounded,
            "mean": pa.array(depths.total / np.maximum(depths.samples, 1), pa.float64(), mask=none),
            "max": pa.array(depths.most, pa.int64(), mask=none),
        }
    )
    keys = {f"value {place}": rows.column(0).combine_chunks().field(place) for place in range(target.num_fields)}
    by = pa.table({**keys, "spec_id": rows.column(1)})
    return rows.take(pc.sort_indices(by, [(name, "ascending") for name in by.column_names])).combine_chunks()
