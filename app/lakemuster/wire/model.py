"""The base of all JSON models (immutable, no undeclared keys), and 64-bit integers in JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from lakemuster.metadata.values import SAFE_INTEGER


class WireModel(BaseModel):
    """A JSON object with exactly the declared keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def json_integer(value: int) -> int | str:
    """Return an integer for JSON: text beyond 2**53."""
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)


Long = Annotated[
    int,
    PlainSerializer(json_integer),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+$"}]}),
]
"""A 64-bit integer; text beyond 2**53, where JSON numbers lose digits."""

Id = Annotated[int, PlainSerializer(str), WithJsonSchema({"type": "string", "pattern": "^-?[0-9]+$"})]
"""A 64-bit id: always text."""
