"""The predicate tree: as callers wrote it, and bound to the columns of a schema.

A row matches when its predicate is TRUE; at the top, FALSE and UNKNOWN are equivalent. The
bound tree has no NOT, so it is monotone: a leaf that holds for *more* rows than the caller's
condition selects more files and never loses a row. Rules for bound leaves:

- a null value matches ``IS_NULL``, ``NOT_NAN`` and, only if the leaf has ``nulls``, the
  negations ``NOT_EQ``, ``NOT_IN``, ``NOT_STARTS_WITH`` (Iceberg's reading of them);
- NaN matches ``IS_NAN``, ``NOT_EQ`` and ``NOT_IN``, no other comparison: where an engine
  may differ, the binder adds an Or with an ``IS_NAN`` leaf;
- ``maybe`` marks a leaf that may hold for more rows than the caller's condition: it can
  exclude rows, it can never prove that rows match;
- with ``transform``, the leaf compares the transformed value, and its values have the
  transform's result type: statistics of the column itself decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar
from typing import Literal as OneOf

from lakemuster.metadata.types import Primitive


class Op(StrEnum):
    """The operator of a leaf."""

    IS_NULL = "is_null"
    NOT_NULL = "not_null"
    IS_NAN = "is_nan"
    NOT_NAN = "not_nan"
    EQ = "eq"
    NOT_EQ = "not_eq"
    LT = "lt"
    LT_EQ = "lt_eq"
    GT = "gt"
    GT_EQ = "gt_eq"
    IN = "in"
    NOT_IN = "not_in"
    STARTS_WITH = "starts_with"
    NOT_STARTS_WITH = "not_starts_with"


UNARY = frozenset({Op.IS_NULL, Op.NOT_NULL, Op.IS_NAN, Op.NOT_NAN})
NEGATIVE = frozenset({Op.NOT_EQ, Op.NOT_IN, Op.NOT_STARTS_WITH})
"""The operators that null values match in Iceberg's expressions."""

_PAIRS = (
    (Op.IS_NULL, Op.NOT_NULL),
    (Op.IS_NAN, Op.NOT_NAN),
    (Op.EQ, Op.NOT_EQ),
    (Op.LT, Op.GT_EQ),
    (Op.GT, Op.LT_EQ),
    (Op.IN, Op.NOT_IN),
    (Op.STARTS_WITH, Op.NOT_STARTS_WITH),
)
NEGATED: dict[Op, Op] = {**dict(_PAIRS), **{b: a for a, b in _PAIRS}}
"""Each operator's opposite, for values that are neither null nor NaN."""

SYMBOLS: dict[Op, str] = {
    Op.IS_NULL: "IS NULL",
    Op.NOT_NULL: "IS NOT NULL",
    Op.IS_NAN: "IS NAN",
    Op.NOT_NAN: "IS NOT NAN",
    Op.EQ: "=",
    Op.NOT_EQ: "!=",
    Op.LT: "<",
    Op.LT_EQ: "<=",
    Op.GT: ">",
    Op.GT_EQ: ">=",
    Op.IN: "IN",
    Op.NOT_IN: "NOT IN",
    Op.STARTS_WITH: "STARTS WITH",
    Op.NOT_STARTS_WITH: "NOT STARTS WITH",
}

LiteralKind = OneOf[
    "integer",
    "decimal",
    "float",
    "single",
    "string",
    "boolean",
    "binary",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
    "null",
    "untyped",
]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant.

    Attributes:
        value: ``int``, ``Decimal``, ``float``, ``str``, ``bool``, ``bytes`` or ``UUID``, depending on ``kind``.
            Dates, times and timestamps are ISO 8601 text, or numbers: days for dates, else microseconds.
            Binaries and uuids may be text too.
        kind: the kind that it was written as. ``untyped`` is a JSON scalar, which takes the column's type;
            ``single`` is a number that engines round to a 4-byte floating point value.
        where: its position in the source, for messages.
    """

    value: object
    kind: LiteralKind
    where: str = ""


@dataclass(frozen=True, slots=True)
class AlwaysTrue:
    """Every row."""


@dataclass(frozen=True, slots=True)
class AlwaysFalse:
    """No row."""


TRUE, FALSE = AlwaysTrue(), AlwaysFalse()


@dataclass(frozen=True, slots=True)
class Opaque:
    """A condition that cannot prune: it selects every file and is reported to the caller.

    Attributes:
        text: as the caller wrote it.
        reason: why it cannot prune.
        names: the columns it names, each with its position; empty once bound.
        pattern: of ``column LIKE pattern``, without escapes; None for other conditions.
    """

    text: str
    reason: str
    names: tuple[tuple[str, str], ...] = ()
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """SQL's UNKNOWN, such as a bare NULL: neither it nor its negation is ever TRUE."""


@dataclass(frozen=True, slots=True)
class And:
    """Every child is TRUE."""

    children: tuple[Predicate, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Or:
    """Some child is TRUE."""

    children: tuple[Predicate, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Not:
    """The child is FALSE."""

    child: Predicate
    text: str = ""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A comparison of one column with constants.

    Attributes:
        op: the operator.
        name: the column's dotted path.
        literals: none for unary operators, any number for IN and NOT IN, else one.
        transform: a partition transform applied to the column (``bucket[16]``).
        where: its position in the source, for messages.
        text: as the caller wrote it; empty without text.
    """

    op: Op
    name: str
    literals: tuple[Literal, ...] = ()
    transform: str | None = None
    where: str = ""
    text: str = ""


Predicate = AlwaysTrue | AlwaysFalse | Unknown | And | Or | Not | Leaf | Opaque


class _HashedOnce:
    """A node of a bound tree that computes its hash once: a plan looks it up in a dozen caches."""

    __slots__ = ("_hash",)
    _hash: int
    _hashed: ClassVar[tuple[str, ...]]
    """The fields with unlimited distinct values; each of the others has few."""

    def cached_hash(self) -> int:
        """Return the hash of ``_hashed``. Not a field and not pickled: string hashes differ between processes."""
        found: int | None = getattr(self, "_hash", None)
        if found is None:
            found = hash(tuple([getattr(self, name) for name in self._hashed]))
            object.__setattr__(self, "_hash", found)
        return found


@dataclass(frozen=True, slots=True)
class BoundLeaf(_HashedOnce):
    """A comparison of one field with values of its type.

    Attributes:
        op: the operator.
        field_id: the column's id; the partition field's after a projection.
        name: its dotted path in the schema.
        type: its type.
        values: in internal form; sorted and distinct for IN and NOT IN (at least two).
        transform: see the module; usually None.
        text: the caller's text that this leaf comes from; for explanations.
        nulls: null values match too. Only with NOT_EQ, NOT_IN and NOT_STARTS_WITH.
        maybe: may hold for more rows than the caller's condition: never proves a match.
    """

    op: Op
    field_id: int
    name: str
    type: Primitive
    values: tuple[object, ...] = ()
    transform: str | None = None
    text: str = ""
    nulls: bool = False
    maybe: bool = False

    __hash__ = _HashedOnce.cached_hash
    _hashed = ("field_id", "transform", "text", "values")


@dataclass(frozen=True, slots=True)
class BoundAnd(_HashedOnce):
    """Every child holds; at least two."""

    children: tuple[Bound, ...]
    text: str = ""

    __hash__ = _HashedOnce.cached_hash
    _hashed = ("text", "children")


@dataclass(frozen=True, slots=True)
class BoundOr(_HashedOnce):
    """Some child holds; at least two."""

    children: tuple[Bound, ...]
    text: str = ""

    __hash__ = _HashedOnce.cached_hash
    _hashed = ("text", "children")


Bound = AlwaysTrue | AlwaysFalse | BoundAnd | BoundOr | BoundLeaf | Opaque


def all_of(children: Iterable[Bound], text: str = "") -> Bound:
    """Return the conjunction: nested ANDs are flattened and TRUE is dropped; FALSE if a child is FALSE."""
    kept: list[Bound] = []
    for child in children:
        if isinstance(child, AlwaysFalse):
            return FALSE
        if isinstance(child, BoundAnd):
            kept.extend(child.children)
        elif not isinstance(child, AlwaysTrue):
            kept.append(child)
    if len(kept) < 2:
        return kept[0] if kept else TRUE
    return BoundAnd(tuple(kept), text)


def any_of(children: Iterable[Bound], text: str = "") -> Bound:
    """Return the disjunction: nested ORs are flattened and FALSE is dropped; TRUE if a child is TRUE."""
    kept: list[Bound] = []
    for child in children:
        if isinstance(child, AlwaysTrue):
            return TRUE
        if isinstance(child, BoundOr):
            kept.extend(child.children)
        elif not isinstance(child, AlwaysFalse):
            kept.append(child)
    if len(kept) < 2:
        return kept[0] if kept else FALSE
    return BoundOr(tuple(kept), text)


def conjuncts(bound: Bound) -> tuple[Bound, ...]:
    """Return the children of a top-level AND; none for TRUE, else the predicate itself."""
    match bound:
        case AlwaysTrue():
            return ()
        case BoundAnd(children=children):
            return children
    return (bound,)


def leaves(bound: Bound) -> Iterator[BoundLeaf]:
    """Yield the leaves in order."""
    match bound:
        case BoundLeaf():
            yield bound
        case BoundAnd(children=children) | BoundOr(children=children):
            for child in children:
                yield from leaves(child)


def references(bound: Bound) -> frozenset[int]:
    """Return the ids of all fields that the leaves refer to."""
    return frozenset(leaf.field_id for leaf in leaves(bound))


def text_of(bound: Bound) -> str:
    """Return the caller's text of a bound predicate; where it has none, join its children's texts."""
    match bound:
        case AlwaysTrue():
            return "TRUE"
        case AlwaysFalse():
            return "FALSE"
        case BoundAnd(children=children, text=""):
            return " AND ".join(dict.fromkeys(_inner(child) for child in children))
        case BoundOr(children=children, text=""):
            return " OR ".join(dict.fromkeys(_inner(child) for child in children))
    return bound.text


def _inner(bound: Bound) -> str:
    return (
        f"({text_of(bound)})"
        if isinstance(bound, BoundOr) or (isinstance(bound, BoundAnd) and not bound.text)
        else text_of(bound)
    )
