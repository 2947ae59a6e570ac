"""Turn LIKE patterns into prefix predicates."""

from __future__ import annotations

from dataclasses import replace

from lakemuster.errors import FilterInvalid
from lakemuster.predicates.tree import And, Leaf, Literal, Op, Opaque, Predicate, Unknown


def like(leaf: Leaf, escape: Literal | None) -> Predicate:
    """Return the predicate of ``column LIKE pattern``; its literal prefix prunes, if it has one.

    Args:
        leaf: the column and, as its literal, the pattern.
        escape: the constant of the ESCAPE clause. Without one, a backslash escapes in some engines
            and not in others, so the prefix ends before it.

    Raises:
        FilterInvalid: the pattern is not a string, or an escape is invalid.
    """
    (pattern,) = leaf.literals
    if pattern.kind == "null" or (escape is not None and escape.kind == "null"):
        return Unknown()
    if not isinstance(pattern.value, str) or pattern.kind != "string":
        raise FilterInvalid(f"LIKE takes a text ({pattern.where})", position=pattern.where)
    sign = escape.value if escape is not None else None
    if escape is not None and (not isinstance(sign, str) or len(sign) != 1):
        raise FilterInvalid(f"ESCAPE takes one character ({escape.where})", position=escape.where)
    prefix, rest = _split(pattern.value, sign if isinstance(sign, str) else None, pattern.where)
    beginning = Literal(prefix, "string", pattern.where)
    if not rest:
        return replace(leaf, literals=(beginning,))
    starts = replace(leaf, op=Op.STARTS_WITH, literals=(beginning,))
    if rest.strip("%") == "":
        return starts
    # Engines disagree about a backslash, and an escaped pattern has no plain text.
    plain = pattern.value if escape is None and "\\" not in pattern.value and leaf.transform is None else None
    names = ((leaf.name, leaf.where),)
    unread = Opaque(leaf.text, "LIKE prunes only by the pattern's prefix", names, pattern=plain)
    return And((starts, unread), leaf.text) if prefix else unread


def _split(pattern: str, escape: str | None, where: str) -> tuple[str, str]:
    """Return the literal prefix of a pattern, and the rest."""
    found: list[str] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == escape:
            if pattern[at + 1 : at + 2] not in ("%", "_", escape):
                raise FilterInvalid(f"{sign!r} escapes neither %, _ nor itself ({where})", position=where)
            at += 1
            sign = pattern[at]
        elif sign in "%_" or (sign == "\\" and escape is None):
            break
        found.append(sign)
        at += 1
    return "".join(found), pattern[at:]
