"""Match the protocol's name patterns: like SQL's LIKE, but only a ``%`` at the end is a wildcard; ``_`` is literal.

Source: the Paimon REST catalog OpenAPI document; Paimon ``RESTUtil.validatePrefixSqlPattern``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from lakemuster.errors import RequestInvalid


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A text that names must equal, or begin with if ``is_prefix``."""

    text: str
    is_prefix: bool

    @classmethod
    def of(cls, pattern: str | None) -> Self:
        """Parse a pattern; None and empty text match all names. A backslash escapes the next character.

        Raises:
            RequestInvalid: ``%`` is not at the end.
        """
        if not pattern:
            return cls("", is_prefix=True)
        characters: list[str] = []
        escaped = is_prefix = False
        for character in pattern:
            if character == "\\" and not escaped:
                escaped = True
                continue
            if character == "%" and not escaped:
                is_prefix = True
                continue
            if is_prefix:
                raise RequestInvalid("a name pattern has its wildcard only at its end")
            characters.append(character)
            escaped = False
        return cls("".join(characters), is_prefix)

    def matches(self, name: str) -> bool:
        """Tell whether a name matches the pattern."""
        return name.startswith(self.text) if self.is_prefix else name == self.text
