"""Objects of an expression: their members, their places, and how many there may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakemuster.errors import FilterInvalid
from lakemuster.predicates import MAX_DEPTH, MAX_NODES, MAX_VALUES

_PATH_SHOWN = 300


def refused(message: str, where: str) -> FilterInvalid:
    """A refusal that says where."""
    return FilterInvalid(f"{message} ({where})", position=where)


def under(where: str, key: str) -> str:
    """The place of a member; the middle of very deep ones is left out."""
    path = where + key
    return path if len(path) <= _PATH_SHOWN else f"{path[:100]}…{path[-150:]}"


def words(document: object) -> str:
    """What a JSON value is, for messages."""
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
    """A member that must be there.

    Raises:
        FilterInvalid: it is not.
    """
    if key not in node:
        raise refused(f"{key!r} is missing", where)
    return node[key]


def named(node: Mapping[str, object], where: str) -> str:
    """The ``type`` of an object, in lower case with hyphens.

    Raises:
        FilterInvalid: it has none.
    """
    found = member(node, "type", where)
    if not isinstance(found, str):
        raise refused(f"expected the name of a type, not {words(found)}", under(where, ".type"))
    return found[:40].lower().replace("_", "-")


def joined(kind: str, documents: Sequence[object]) -> object:
    """The documents under AND or OR, two by two and no deeper than needed: readers descend by recursion."""
    if len(documents) == 1:
        return documents[0]
    half = len(documents) // 2
    return {"type": kind, "left": joined(kind, documents[:half]), "right": joined(kind, documents[half:])}


@dataclass(slots=True)
class Budget:
    """What was met of a filter; it is refused as soon as that is too much.

    Attributes:
        nodes: operators, comparisons, functions.
        values: of all lists.
    """

    nodes: int = 0
    values: int = 0

    def node(self, depth: int) -> None:
        """Count a node of a level.

        Raises:
            FilterInvalid: one too many, or too deep.
        """
        self.nodes += 1
        self.expect(0)
        self.level(depth)

    def level(self, depth: int) -> None:
        """Go no deeper than this.

        Raises:
            FilterInvalid: too deep.
        """
        if depth > MAX_DEPTH:
            raise FilterInvalid(f"a filter is at most {MAX_DEPTH} levels deep", limit=MAX_DEPTH)

    def expect(self, nodes: int) -> None:
        """Make sure that there is room for nodes that are known to follow.

        Raises:
            FilterInvalid: there is none.
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
