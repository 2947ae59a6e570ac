"""Helpers for expression nodes: members, positions for messages, limits of size and depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import MAX_DEPTH, MAX_NODES, MAX_VALUES

_PATH_SHOWN = 300


def refused(message: str, where: str) -> FilterInvalid:
    """Return an error that names the position in the document."""
    return FilterInvalid(f"{message} ({where})", position=where)


def under(where: str, key: str) -> str:
    """Return the path of a member; the middle of very long paths is left out."""
    path = where + key
    return path if len(path) <= _PATH_SHOWN else f"{path[:100]}…{path[-150:]}"


def words(document: object) -> str:
    """Describe a JSON value for messages."""
    match document:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return f"the number {document!r:.40}"
        case str():
            return f"the text {document[:40]!r}"
        case list():
            return "an array"
        case Mapping():
            return "an object"
    return type(document).__name__


def member(node: Mapping[str, object], key: str, where: str) -> object:
    """Return a required member.

    Raises:
        FilterInvalid: it is missing.
    """
    if key not in node:
        raise refused(f"{key!r} is missing", where)
    return node[key]


def named(node: Mapping[str, object], where: str) -> str:
    """Return the ``type`` of an object, in lower case with hyphens.

    Raises:
        FilterInvalid: it has none.
    """
    found = member(node, "type", where)
    if not isinstance(found, str):
        raise refused(f"expected the name of a type, not {words(found)}", under(where, ".type"))
    return found[:40].lower().replace("_", "-")


def joined(kind: str, documents: Sequence[object]) -> object:
    """Join documents with AND or OR as a balanced binary tree, because parsers recurse."""
    if len(documents) == 1:
        return documents[0]
    half = len(documents) // 2
    return {"type": kind, "left": joined(kind, documents[:half]), "right": joined(kind, documents[half:])}


@dataclass(slots=True)
class FilterBudget:
    """Counters of a filter's nodes and values; a filter is refused as soon as it exceeds a limit.

    Attributes:
        nodes: operators, comparisons, functions.
        values: the values of all lists.
    """

    nodes: int = 0
    values: int = 0

    def node(self, depth: int) -> None:
        """Count a node at a depth.

        Raises:
            FilterInvalid: too many nodes, or too deep.
        """
        self.nodes += 1
        self.expect(0)
        self.level(depth)

    def level(self, depth: int) -> None:
        """Check a depth.

        Raises:
            FilterInvalid: too deep.
        """
        if depth > MAX_DEPTH:
            raise FilterInvalid(f"a filter is at most {MAX_DEPTH} levels deep", limit=MAX_DEPTH)

    def expect(self, nodes: int) -> None:
        """Check that the nodes that are known to follow stay within the limit.

        Raises:
            FilterInvalid: too many nodes.
        """
        if self.nodes + nodes > MAX_NODES:
            raise FilterInvalid(f"a filter has at most {MAX_NODES} comparisons and operators", limit=MAX_NODES)

    def listed(self, count: int) -> None:
        """Count the values of a list.

        Raises:
            FilterInvalid: too many.
        """
        self.values += count
        if self.values > MAX_VALUES:
            raise FilterInvalid(f"the lists of a filter have at most {MAX_VALUES} values", limit=MAX_VALUES)
