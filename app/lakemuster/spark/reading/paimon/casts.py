"""Values of one type as another, as Paimon casts them when a column's type has changed.

Source: Paimon's ``CastExecutors`` and its cast rules.
"""

from __future__ import annotations

import pyarrow as pa

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.spark.reading.paimon.schemas import spark_type

_WIDER = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG)


def cast_primitive(values: pa.Array, source: Primitive, target: Primitive) -> pa.Array | None:
    """The values in another type; None where the way there is not known."""
    if source.kind in _WIDER and target.kind in _WIDER and _WIDER.index(source.kind) <= _WIDER.index(target.kind):
        return values.cast(spark_type(target))
    if (source.kind, target.kind) == (Kind.FLOAT, Kind.DOUBLE):
        return values.cast(spark_type(target))
    return None
