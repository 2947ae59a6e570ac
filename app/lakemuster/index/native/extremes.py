"""Which texts are the first or the last of their zones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index.native import kernel
from lakemuster.kernels.loading import Kernel

find_compiled = Kernel(kernel.extremes_of)
is_available = find_compiled.is_available

_NONE = np.zeros(0, np.uint8)


def extremes(
    texts: pa.Array,
    missing: NDArray[np.bool_] | None,
    starts: NDArray[np.int64],
    *,
    last: bool,
    find: Callable[..., int] = find_compiled,
) -> pa.Array:
    """The first text of each zone, or the last, as their bytes compare; of a zone without any it is any of its own.

    Args:
        texts: strings or bytes.
        missing: where there is none; None where there are all.
        starts: (Z,) where zones begin.
        find: the kernel to use.
    """
    _, offsets, data = texts.buffers()
    edges = np.frombuffer(offsets, np.uint32)[texts.offset : texts.offset + len(texts) + 1]
    found = np.empty(len(starts), np.uint64)
    find(
        edges,
        _NONE if data is None else np.frombuffer(data, np.uint8),
        _NONE if missing is None else missing.view(np.uint8),
        np.append(starts, len(texts)).astype(np.uint64),
        kernel.AFTER if last else kernel.BEFORE,
        found,
    )
    return texts.take(pa.array(found))
