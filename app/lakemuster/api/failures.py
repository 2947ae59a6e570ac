"""What an answer says of a failure, before it has the form of the protocol that it answers in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure that may be shown.

    Attributes:
        status: of HTTP, in the native API.
        code: public and stable.
        type: the class of the error, or the words of the status.
        context: values that help the person who can act; no secrets.
        headers: of the answer.
    """

    status: int
    code: str
    type: str
    message: str
    context: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
