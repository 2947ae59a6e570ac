"""Limit the nesting of a filter's JSON before other code processes it.

A chain of ANDs, or of ORs, is one level of a filter. Clients nest such chains as deep as they are long, and JSON
writers and parsers recurse: a deep chain is converted to balanced trees.
"""

from __future__ import annotations

from collections.abc import Mapping

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import MAX_DEPTH, MAX_NODES
from lakemuster.wire.iceberg_rest.expressions_nodes import joined

SHALLOW = 64
"""Documents of at most this many levels are not changed."""
DEEPEST = 250
"""The levels of the deepest document that this module accepts; orjson's limit is 254."""

_CHAINS = ("and", "or")


def shallow(document: object) -> object:
    """Return the document, or an equivalent one of at most ``DEEPEST`` levels.

    Invalid expressions are not changed: :func:`parse_expression` refuses them and names the position.

    Raises:
        FilterInvalid: deeper or larger than the limits of filters.
    """
    if not _is_deeper(document, SHALLOW):
        return document
    document = _balanced(document, 1)
    if _is_deeper(document, DEEPEST):
        raise _too_deep()
    return document


def _is_deeper(document: object, levels: int) -> bool:
    """Tell whether objects and arrays are nested deeper than ``levels``."""
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(levels):
        if not level:
            return False
        items = (node.values() if isinstance(node, dict) else node for node in level)
        level = [item for inside in items for item in inside if isinstance(item, dict | list)]
    return bool(level)


def _balanced(document: object, depth: int) -> object:
    if depth > MAX_DEPTH:
        raise _too_deep()
    if not isinstance(document, Mapping):
        return document
    kind = _kind(document)
    if kind == "not" and "child" in document:
        return {"type": kind, "child": _balanced(document["child"], depth + 1)}
    if _is_chain(document):
        return joined(kind, [_balanced(part, depth + 1) for part in _parts(document, kind)])
    return document


def _parts(document: Mapping[str, object], kind: str) -> list[object]:
    """Return the operands of a chain, from left to right."""
    found: list[object] = []
    waiting: list[object] = [document["right"], document["left"]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping) and _is_chain(node) and _kind(node) == kind:
            waiting += (node["right"], node["left"])
        else:
            found.append(node)
        if len(found) + len(waiting) > MAX_NODES:
            raise FilterInvalid(f"a filter has at most {MAX_NODES} comparisons and operators", limit=MAX_NODES)
    return found


def _is_chain(node: Mapping[str, object]) -> bool:
    return _kind(node) in _CHAINS and "left" in node and "right" in node


def _kind(node: Mapping[str, object]) -> str:
    kind = node.get("type")
    return kind.lower() if isinstance(kind, str) else ""


def _too_deep() -> FilterInvalid:
    return FilterInvalid(f"a filter is at most {MAX_DEPTH} levels deep", limit=MAX_DEPTH)
