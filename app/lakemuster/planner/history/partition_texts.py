"""Write partitions as texts that are equal if the partitions are."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.planner.columns import single_array

_NULL = ""


def partition_texts(spec_ids: pa.Array, partitions: pa.Array) -> pa.Array:
    """Return the text of each partition of N files: its spec, and its values.

    Args:
        spec_ids: (N,) integers.
        partitions: (N,) structs of one type.
    """
    members = [_measured(spec_ids.cast(pa.string()))]
    members += [_measured(_text(field)) for field in partitions.flatten()]
    return pc.binary_join_element_wise(*members, ";")


def _measured(texts: pa.Array) -> pa.Array:
    """Prefix each text with its length, so that it differs from null, and joined texts are unambiguous."""
    return pc.fill_null(pc.binary_join_element_wise(pc.binary_length(texts).cast(pa.string()), texts, ":"), _NULL)


def _text(values: pa.Array) -> pa.Array:
    if not pa.types.is_binary(values.type) and not pa.types.is_fixed_size_binary(values.type):
        return values.cast(pa.string())
    codes = single_array(values).dictionary_encode()
    return pa.array([value.hex() for value in codes.dictionary.to_pylist()], pa.string()).take(codes.indices)
