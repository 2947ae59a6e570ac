"""Find the ``fixed`` values of partition tuples that are stored after their length.

Avro stores such a value without its length, which is in the schema. Iceberg Java writes the length too, up to release
1.12 at least, and its own reader expects it. Decimals and uuids, which have a logical type, are not affected.

Source: Iceberg Java, ``ValueWriters.FixedByteBufferWriter``; apache/iceberg issue 17501.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.iceberg.avro_fields import PARTITION
from lakemuster.metadata.files import ADDED, DELETED, EXISTING
from lakemuster.metadata.snapshot import ManifestHeader

STATUSES = {EXISTING: "existing", ADDED: "added", DELETED: "deleted"}


@dataclass(frozen=True, slots=True)
class PrefixedFixed:
    """How to read the entries of a manifest whose ``fixed`` partition values have a length before them.

    Attributes:
        schema: the file's Avro schema, with ``bytes`` for these types.
        sizes: the bytes of a value, by the partition field's name in the file.
    """

    schema: bytes
    sizes: Mapping[str, int]


@lru_cache(64)
def prefixed_fixed(avro_schema: bytes) -> PrefixedFixed | None:
    """Return the other reading of a manifest's checked schema; None if no partition value is a plain ``fixed``."""
    walk = _Walk()
    replaced = walk.outside(orjson.loads(avro_schema))
    return PrefixedFixed(orjson.dumps(replaced), walk.sizes) if walk.sizes else None


def are_of_sizes(values_of: Callable[[str], pa.Array | None], sizes: Mapping[str, int]) -> bool:
    """Tell whether all values of some partition fields have their field's size."""
    return all(
        (values := values_of(name)) is None
        or bool(pc.all(pc.equal(pc.binary_length(values), size), min_count=0).as_py())
        for name, size in sizes.items()
    )


def add_up(column: Callable[[str], pa.Array | None], header: ManifestHeader) -> bool:
    """Tell whether the record counts of entries add up to those of the manifest list, as far as it has them."""
    status, records = column("status"), column("record_count")
    if status is None or records is None:
        return False
    codes, counts = np.asarray(status), np.asarray(records)
    return all(
        getattr(header, f"{name}_rows_count") in (None, int(counts[codes == code].sum()))
        for code, name in STATUSES.items()
    )


@dataclass
class _Walk:
    """One walk over the schema's JSON; ``named`` has the sizes of the plain ``fixed`` types of partition tuples."""

    sizes: dict[str, int] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)

    def outside(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self.outside(branch) for branch in schema]
        if not isinstance(schema, dict):
            return schema
        replaced = dict(schema)
        if isinstance(schema.get("type"), dict | list):
            replaced["type"] = self.outside(schema["type"])
        if isinstance(schema.get("fields"), list):
            replaced["fields"] = [
                {**item, "type": (self._tuple if _is_partition(item) else self.outside)(item["type"])}
                for item in schema["fields"]
            ]
        return replaced

    def _tuple(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self._tuple(branch) for branch in schema]
        if not isinstance(schema, dict) or not isinstance(schema.get("fields"), list):
            return schema
        return {
            **schema,
            "fields": [{**item, "type": self._value(item["name"], item["type"])} for item in schema["fields"]],
        }

    def _value(self, name: str, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self._value(name, branch) for branch in schema]
        if isinstance(schema, dict) and schema.get("type") == "fixed" and "logicalType" not in schema:
            self.named[schema["name"]] = schema["size"]
            schema = schema["name"]
        if not isinstance(schema, str) or schema not in self.named:
            return schema
        self.sizes[name] = self.named[schema]
        return "bytes"


def _is_partition(item: Mapping[str, object]) -> bool:
    return item.get("field-id") == PARTITION or ("field-id" not in item and item.get("name") == "partition")
