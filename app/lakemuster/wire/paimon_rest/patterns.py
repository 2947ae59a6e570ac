"""Name patterns of the protocol: SQL's LIKE, of which only ``%`` at the end is a wildcard; ``_`` stands for itself.

Source: the Paimon REST catalog OpenAPI document; Paimon ``RESTUtil.validatePrefixSqlPattern``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from lakemuster.errors import RequestInvalid


@dataclass(frozen=True, slots=True)
class Pattern:
    """What names must be, or begin with."""

    text: str
    is_prefix: bool

    @classmethod
    def of(cls, pattern: str | None) -> Self:
        """Read a pattern; None and empty text let every name through. A backslash takes the next character as it is.

        Raises:
            RequestInvalid: ``%`` stands before something else.
        """
        if not pattern:
            return cls("", is_prefix=True)
        kept: list[str] = []
        escaped = is_prefix = False
        for character in pattern:
            if character == "\\" and not escaped:
                escaped = True
                continue
            if character == "%" and not escaped:
                is_prefix = True
                continue
            if is_prefix:
                raise RequestInvalid("a name pattern has % only at its end")
            kept.append(character)
            escaped = False
        return cls("".join(kept), is_prefix)

    def matches(self, name: str) -> bool:
        """Whether a name is as the pattern says."""
        return name.startswith(self.text) if self.is_prefix else name == self.text
