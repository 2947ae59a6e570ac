"""The base of all JSON models (immutable, no undeclared keys), and values that JSON has no type for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from lakemuster.metadata.values import SAFE_INTEGER


class WireModel(BaseModel):
    """A JSON object with exactly the declared keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def also_keys_of(further: type[BaseModel]) -> Callable[[dict[str, Any]], None]:
    """Return a ``json_schema_extra`` that adds the optional keys of ``further`` to those of an open model."""
    properties = further.model_json_schema(mode="serialization")["properties"]
    return lambda schema: schema["properties"].update(properties)


def json_integer(value: int) -> int | str:
    """Return an integer for JSON: text beyond 2**53."""
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)


Long = Annotated[
    int,
    PlainSerializer(json_integer),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+$"}]}),
]
"""A 64-bit integer; text beyond 2**53, where JSON numbers lose digits."""

InstantText = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
"""A time as RFC 3339 text in UTC, with milliseconds."""

SingleValue = Annotated[
    object,
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"}, {"type": "null"}]}),
]
"""A value in the JSON single-value form of the Iceberg specification; integers beyond 2**53 are text."""

Id = Annotated[int, PlainSerializer(str), WithJsonSchema({"type": "string", "pattern": "^-?[0-9]+$"})]
"""A 64-bit id: always text."""
