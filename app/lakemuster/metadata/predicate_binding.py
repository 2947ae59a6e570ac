"""Binding: names become field ids, constants become values of the columns' types, NOT disappears.

Null and NaN have more than one reading among engines; a bound predicate keeps every row that one of
them keeps:

- NaN: IEEE 754 says every ordered comparison with it is FALSE (so that its negation is TRUE); Spark, DuckDB
  and PostgreSQL say it equals itself and is greater than every number. ``x > 5`` and ``NOT x > 5`` may thus both
  hold for NaN: an Or with ``IS_NAN`` says so, ``maybe`` when readings differ. A conjunct that no NaN
  satisfies under either (``x < 10``) takes such branches away again.
- null: SQL's three values by default. Iceberg's own expressions let null match a negation
  (``not-eq``, ``not-in``, ``not-starts-with``): ``negations_match_null`` binds in that way.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lakemuster.errors import FilterInvalid
from lakemuster.metadata.predicate_instants import UnlikeTypesError
from lakemuster.metadata.predicate_literals import (
    COMPARABLE,
    Outcome,
    UndecidedError,
    compare,
    members,
)
from lakemuster.metadata.predicate_tree import (
    FALSE,
    NEGATED,
    NEGATIVE,
    SYMBOLS,
    TRUE,
    UNARY,
    AlwaysFalse,
    AlwaysTrue,
    And,
    Bound,
    BoundLeaf,
    BoundOr,
    Leaf,
    Literal,
    Not,
    Op,
    Opaque,
    Or,
    Predicate,
    Unknown,
    all_of,
    any_of,
)
from lakemuster.metadata.schema import Column, Schema
from lakemuster.metadata.transforms import transformed_type
from lakemuster.metadata.types import Kind, Primitive

MAX_DEPTH, MAX_NODES, MAX_VALUES = 32, 1_000, 20_000
"""Of a predicate: levels (a chain of ANDs is one), operators and comparisons, values of all IN lists together."""

_FLOATS = (Kind.FLOAT, Kind.DOUBLE)
_NEVER_NAN = frozenset({Op.LT, Op.LT_EQ, Op.EQ, Op.IN, Op.NOT_NAN, Op.IS_NULL})
_SHOWN = 60


def bind(
    predicate: Predicate,
    schema: Schema,
    *,
    case_sensitive: bool = True,
    negations_match_null: bool = False,
    nan_as_iceberg: bool = False,
) -> Bound:
    """The predicate over the columns of a schema, without NOT.

    Args:
        predicate: the tree.
        schema: whose names are meant.
        case_sensitive: whether ``ID`` is another column than ``id``.
        negations_match_null: bind as Iceberg reads its expressions, see the module.
        nan_as_iceberg: no comparison but a negative one matches NaN, as Iceberg's evaluators have it. Loses
            rows that SQL engines find: for comparisons with Iceberg only.

    Raises:
        FilterInvalid: a name that is no column or several, a constant unlike its column, too large a predicate.
    """
    check_size(predicate)
    return _Binder(schema, case_sensitive, negations_match_null, nan_as_iceberg).push(predicate, negated=False)


def check_size(predicate: Predicate) -> None:
    """Refuse predicates beyond the limits.

    Raises:
        FilterInvalid: too deep, or too many operators or values.
    """
    nodes = values = 0
    waiting: list[tuple[Predicate, int]] = [(predicate, 1)]
    while waiting:
        node, depth = waiting.pop()
        match node:
            case And(children=children) | Or(children=children):
                below: Sequence[Predicate] = children
            case Not(child=child):
                below = (child,)
            case Leaf(op=Op.IN | Op.NOT_IN, literals=literals):
                values += len(literals)
                below = ()
            case _:
                below = ()
        nodes += 1
        if nodes + len(waiting) + len(below) > 2 * MAX_NODES or nodes > MAX_NODES:
            raise FilterInvalid(f"a filter has at most {MAX_NODES} comparisons and operators", limit=MAX_NODES)
        if depth > MAX_DEPTH:
            raise FilterInvalid(f"a filter is at most {MAX_DEPTH} levels deep", limit=MAX_DEPTH)
        if values > MAX_VALUES:
            raise FilterInvalid(f"the lists of a filter have at most {MAX_VALUES} values", limit=MAX_VALUES)
        for inner in below:
            is_chained = type(inner) is type(node) and not isinstance(node, Not)
            nodes -= is_chained
            waiting.append((inner, depth + (not is_chained)))


class _Binder:
    def __init__(self, schema: Schema, case_sensitive: bool, negations_match_null: bool, nan_as_iceberg: bool) -> None:
        self._case_sensitive = case_sensitive
        self._nulls = negations_match_null
        self._nan_as_iceberg = nan_as_iceberg
        self._columns = schema.named if case_sensitive else schema.named_in_any_case

    def push(self, node: Predicate, *, negated: bool, text: str = "") -> Bound:
        """Bind a node, or its negation; ``text`` is what it was written as where that is more than the node's own."""
        match node:
            case AlwaysTrue() | AlwaysFalse():
                return TRUE if isinstance(node, AlwaysTrue) is not negated else FALSE
            case Unknown():
                return FALSE
            case Not(child=child):
                return self.push(child, negated=not negated, text=text or _words(node.text, negated))
            case Opaque(names=names):
                for name, where in names:
                    self._resolve(name, where)
                return Opaque(text or _words(node.text, negated), node.reason)
            case And() | Or():
                text = text or _words(node.text, negated)
                own = text if _is_one_comparison(node) else ""
                children = [self.push(child, negated=negated, text=own) for child in _flat(node)]
                if isinstance(node, And) is not negated:
                    return all_of(_without_nan(children), text)
                return any_of(children, text)
        words = text or _words(node.text or _describe(node), negated)
        return self._leaf(node if words == node.text else replace(node, text=words), negated)

    def _leaf(self, leaf: Leaf, negated: bool) -> Bound:
        column = self._resolve(leaf.name, leaf.where)
        if column.repeated:
            return Opaque(leaf.text, f"column {column.path!r:.100} is inside a list or a map")
        of = column.field.type
        if not isinstance(of, Primitive):
            if leaf.op in (Op.IS_NULL, Op.NOT_NULL):
                return Opaque(leaf.text, f"nothing is known of the nulls of {column.path!r:.100}, a {of.text:.20}")
            raise _refused(leaf, f"column {column.path!r:.100} is a {of.text:.20} and cannot be compared")
        bound = BoundLeaf(
            NEGATED[leaf.op] if negated else leaf.op, column.field.field_id, column.path, of, text=leaf.text
        )
        if leaf.transform is not None and leaf.op not in (Op.IS_NULL, Op.NOT_NULL):
            result = transformed_type(leaf.transform, of)
            if result is None:
                return Opaque(leaf.text, f"{leaf.transform!r:.40} is no transform of type {of.text} that we know")
            if leaf.transform != "identity":
                bound, of = replace(bound, transform=leaf.transform), result
        if leaf.op in UNARY:
            if leaf.op in (Op.IS_NAN, Op.NOT_NAN) and of.kind not in _FLOATS:
                raise _refused(leaf, f"column {column.path!r:.100} is of type {of.text}, which has no NaN")
            return bound
        if of.kind not in COMPARABLE:
            return Opaque(leaf.text, f"values of type {of.text} are not compared")
        try:
            return _Comparing(bound, of, leaf, negated, self._nulls, self._nan_as_iceberg).bound()
        except UndecidedError as why:
            return Opaque(leaf.text, str(why))

    def _resolve(self, name: str, where: str) -> Column:
        found = self._columns.get(self._key(name), ())
        if len(found) == 1:
            return found[0]
        at = f" ({where})" if where else ""
        if found:
            paths = ", ".join(f"{column.path!r:.{_SHOWN}}" for column in found[:5])
            raise FilterInvalid(f"the name {name!r:.{_SHOWN}} means several columns: {paths}{at}", column=name)
        close = self._close(name)
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        raise FilterInvalid(f"there is no column {name!r:.{_SHOWN}}{at}{hint}", column=name, position=where)

    def _key(self, name: str) -> str:
        return name if self._case_sensitive else name.casefold()

    def _close(self, name: str) -> list[str]:
        if len(name) > _SHOWN:
            return []
        paths = [c.path for found in self._columns.values() for c in found if abs(len(c.path) - len(name)) <= 3]
        same = [path for path in paths if path.casefold() == name.casefold()]
        ending = [c.path for found in self._columns.values() for c in found if c.path.endswith("." + name)]
        return (same or difflib.get_close_matches(name, paths[:200], 3) or ending)[:3]


@dataclass(frozen=True, slots=True)
class _Comparing:
    """One comparison: ``leaf`` bound as ``bound_leaf`` (its operator negated already, no values yet)."""

    bare: BoundLeaf
    of: Primitive
    leaf: Leaf
    negated: bool
    nulls: bool
    nan_as_iceberg: bool

    def bound(self) -> Bound:
        op = self.bare.op
        literals = self.leaf.literals
        if op not in (Op.IN, Op.NOT_IN) and len(literals) != 1:
            raise _refused(self.leaf, f"{SYMBOLS[self.leaf.op]} takes one constant, not {len(literals)}")
        known = [literal for literal in literals if literal.kind != "null"]
        missing = len(known) < len(literals)
        if op in (Op.IN, Op.NOT_IN):
            plain = members(known, self.of)
            outcomes = (
                [self._outcome(Op.EQ, literal, at) for at, literal in enumerate(known, 1)] if plain is None else []
            )
            return FALSE if missing and op is Op.NOT_IN else self._listed(outcomes, plain or ())
        if missing:
            return FALSE
        return self._one(self._outcome(op, known[0]))

    def _outcome(self, op: Op, literal: Literal, item: int = 0) -> Outcome:
        try:
            return compare(op, literal, self.of)
        except UnlikeTypesError as cause:
            where = literal.where or self.leaf.where + (f", constant {item} of the list" if item else "")
            raise FilterInvalid(
                f"column {self.bare.name!r:.100}: {cause}" + (f" ({where})" if where else ""),
                column=self.bare.name,
                type=self.of.text,
                position=where,
            ) from cause

    def _one(self, outcome: Outcome) -> Bound:
        if isinstance(outcome, str):
            return self._folded(outcome)
        if _is_nan(outcome.value):
            return self._against_nan()
        nulls = self.nulls and outcome.op in NEGATIVE
        main = replace(self.bare, op=outcome.op, values=(outcome.value,), maybe=outcome.maybe, nulls=nulls)
        if self.of.kind not in _FLOATS or self.nan_as_iceberg:
            return main
        if self.negated and self.bare.op in (Op.GT, Op.GT_EQ):
            return any_of((main, self._unary(Op.IS_NAN)), self.leaf.text)
        if self.bare.op in ((Op.LT, Op.LT_EQ) if self.negated else (Op.GT, Op.GT_EQ)):
            return any_of((main, self._unary(Op.IS_NAN, maybe=True)), self.leaf.text)
        return main

    def _listed(self, outcomes: Sequence[Outcome], plain: Iterable[object]) -> Bound:
        """IN and NOT IN: each constant's ``=``, or the values that they have come to already."""
        found = [outcome for outcome in outcomes if not isinstance(outcome, str)]
        maybe = any(outcome.maybe for outcome in found)
        values = sorted({*plain, *(outcome.value for outcome in found if not _is_nan(outcome.value))})  # type: ignore[type-var]
        nan = any(_is_nan(outcome.value) for outcome in found)
        if nan and self.nan_as_iceberg:
            raise _refused(self.leaf, "NaN is compared by IS NAN only")
        positive = self.bare.op is Op.IN
        maybe = maybe or (nan and not positive)
        if values:
            single = Op.EQ if positive else Op.NOT_EQ
            main: Bound = replace(
                self.bare,
                op=single if len(values) == 1 else self.bare.op,
                values=tuple(values),
                maybe=maybe,
                nulls=self.nulls and not positive,
            )
        else:
            main = FALSE if positive else self._folded("always", maybe=nan)
        return any_of((main, self._unary(Op.IS_NAN, maybe=True)), self.leaf.text) if nan and positive else main

    def _folded(self, always: str, *, maybe: bool = False) -> Bound:
        """A comparison that holds for every value, or for none; null values are another matter."""
        null_matches = self.nulls and self.bare.op in NEGATIVE
        if always == "never":
            return self._unary(Op.IS_NULL) if null_matches else FALSE
        maybe = maybe or self.of.kind in _FLOATS
        if not null_matches:
            return self._unary(Op.NOT_NULL, maybe=maybe)
        return any_of((self._unary(Op.IS_NULL), self._unary(Op.NOT_NULL, maybe=True))) if maybe else TRUE

    def _against_nan(self) -> Bound:
        """NaN as the constant: either greater than every number and equal to itself, or never compared."""
        if self.nan_as_iceberg:
            raise _refused(self.leaf, "NaN is compared by IS NAN only")
        asked = NEGATED[self.bare.op] if self.negated else self.bare.op
        if asked is Op.GT:
            return self._unary(Op.NOT_NULL) if self.negated else FALSE
        if asked in ((Op.NOT_EQ,) if self.negated else (Op.EQ, Op.GT_EQ)):
            return self._unary(Op.IS_NAN, maybe=True)
        return self._folded("always", maybe=True)

    def _unary(self, op: Op, *, maybe: bool = False) -> BoundLeaf:
        return replace(self.bare, op=op, maybe=maybe, transform=None)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _without_nan(children: list[Bound]) -> list[Bound]:
    """Conjuncts without NaN branches of columns that another conjunct says are not NaN."""
    numbers = {
        child.field_id
        for child in children
        if isinstance(child, BoundLeaf) and child.op in _NEVER_NAN and child.type.kind in _FLOATS
    }
    if not numbers:
        return children
    return [
        any_of((part for part in child.children if not _nan_of(part, numbers)), child.text)
        if isinstance(child, BoundOr)
        else child
        for child in children
    ]


def _nan_of(part: Bound, numbers: set[int]) -> bool:
    return isinstance(part, BoundLeaf) and part.op is Op.IS_NAN and part.field_id in numbers


def _flat(node: And | Or) -> Iterator[Predicate]:
    """The children, those of nested nodes of the same kind included, in order."""
    waiting = list(reversed(node.children))
    while waiting:
        child = waiting.pop()
        if type(child) is type(node):
            waiting.extend(reversed(child.children))
        else:
            yield child


def _is_one_comparison(node: And | Or) -> bool:
    """Whether it is one comparison in parts, such as BETWEEN: each has the words of the whole."""
    return bool(node.text) and all(getattr(child, "text", None) == node.text for child in node.children)


def _refused(leaf: Leaf, message: str) -> FilterInvalid:
    at = f" ({leaf.where})" if leaf.where else ""
    return FilterInvalid(message + at, column=leaf.name, position=leaf.where)


def _words(text: str, negated: bool) -> str:
    return f"NOT ({text})" if negated and text else text


def _describe(leaf: Leaf) -> str:
    """Words for a leaf that was not written as text."""
    subject = leaf.name if leaf.transform is None else f"{leaf.transform}({leaf.name})"
    shown = [_shown(literal.value) for literal in leaf.literals[:5]]
    if leaf.op in UNARY:
        return f"{subject} {SYMBOLS[leaf.op]}"
    if leaf.op in (Op.IN, Op.NOT_IN):
        more = ", …" if len(leaf.literals) > len(shown) else ""
        return f"{subject} {SYMBOLS[leaf.op]} ({', '.join(shown)}{more})"
    return f"{subject} {SYMBOLS[leaf.op]} {', '.join(shown)}"


def _shown(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bytes():
            return f"X'{value.hex()[:_SHOWN]}'"
        case str():
            quoted = value[:_SHOWN].replace("'", "''")
            return f"'{quoted}'"
    return f"{value!s:.{_SHOWN}}"
