"""The content of an error response, independent of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Failure:
    """The content of an error response.

    Attributes:
        status: the HTTP status in the native API; another protocol may change it.
        code: public and stable.
        type: the error's class name, or the status phrase.
        context: values that help to fix the cause; no secrets.
        headers: additional response headers.
    """

    status: int
    code: str
    type: str
    message: str
    context: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
