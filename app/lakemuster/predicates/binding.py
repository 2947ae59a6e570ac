"""Bind predicates: names become field ids, constants become values of the columns' types, NOT disappears.

Engines read null and NaN in different ways; a bound predicate matches every row that one of these
readings matches:

- NaN: the caller chooses what comparisons mean (:mod:`~lakemuster.predicates.nan`). Under ``any``, ``x > 5`` and
  ``NOT x > 5`` may both hold for NaN: the comparison becomes an Or with ``IS_NAN``, which is ``maybe`` when readings
  differ. If another conjunct excludes NaN (``x < 10``), such branches are removed again.
- null: SQL's three-valued logic by default. Iceberg's own expressions let null match a negation
  (``not-eq``, ``not-in``, ``not-starts-with``): ``negations_match_null`` binds in that way.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lakemuster.errors import FilterInvalid
from lakemuster.metadata.schema import Column, Schema, never_null
from lakemuster.metadata.transforms import transformed_type
from lakemuster.metadata.types import Primitive
from lakemuster.predicates.comparison_binding import FLOATS, ComparisonBinder, refused
from lakemuster.predicates.literals import COMPARABLE, UndecidedError
from lakemuster.predicates.nan import NanMode
from lakemuster.predicates.tree import (
    FALSE,
    NEGATED,
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
    Not,
    Op,
    Opaque,
    Or,
    Predicate,
    Unknown,
    all_of,
    any_of,
)

MAX_DEPTH, MAX_NODES, MAX_VALUES = 32, 1_000, 20_000
"""Limits of a predicate: levels (a chain of ANDs is one), operators and comparisons, values of all IN lists."""

_NEVER_NAN = frozenset({Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.EQ, Op.IN, Op.NOT_NAN, Op.IS_NULL})
_SHOWN = 60


def bind(
    predicate: Predicate,
    schema: Schema,
    *,
    case_sensitive: bool = True,
    negations_match_null: bool = False,
    nan: NanMode = "any",
    history: Sequence[Schema] | None = None,
) -> Bound:
    """Bind a predicate to the columns of a schema; the result has no NOT.

    Args:
        predicate: the tree.
        schema: the schema whose columns the names refer to.
        case_sensitive: whether ``ID`` is another column than ``id``.
        negations_match_null: bind as Iceberg reads its expressions, see the module.
        nan: what comparisons with NaN mean.
        history: all schemas that the table's files may have been written with. If given, IS NULL is FALSE for a
            column that cannot be null in any of them.

    Raises:
        FilterInvalid: an unknown or ambiguous name, a constant unlike its column, or a predicate beyond the limits.
    """
    check_size(predicate)
    binder = _Binder(schema, case_sensitive, negations_match_null, nan, history)
    return binder.push(predicate, negated=False)


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
    def __init__(
        self,
        schema: Schema,
        case_sensitive: bool,
        negations_match_null: bool,
        nan: NanMode,
        history: Sequence[Schema] | None,
    ) -> None:
        self._schema, self._history = schema, history
        self._case_sensitive = case_sensitive
        self._nulls = negations_match_null
        self._nan = nan
        self._columns = schema.named if case_sensitive else schema.named_in_any_case

    def push(self, node: Predicate, *, negated: bool, text: str = "") -> Bound:
        """Bind a node, or its negation; ``text``, if given, replaces the node's own text."""
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
                    return all_of(without_nan(children), text)
                return any_of(children, text)
        words = text or _words(node.text or _describe(node), negated)
        return self._leaf(node if words == node.text else replace(node, text=words), negated)

    def _leaf(self, leaf: Leaf, negated: bool) -> Bound:
        column = self._resolve(leaf.name, leaf.where)
        if column.repeated:
            return Opaque(leaf.text, f"column {column.path!r:.100} is inside a list or a map")
        op = NEGATED[leaf.op] if negated else leaf.op
        if op is Op.IS_NULL and self._is_never_null(column):
            return FALSE
        of = column.field.type
        if not isinstance(of, Primitive):
            if leaf.op in (Op.IS_NULL, Op.NOT_NULL):
                return Opaque(leaf.text, f"nulls of {column.path!r:.100}, a {of.text:.20}, are not recorded")
            raise refused(leaf, f"column {column.path!r:.100} is a {of.text:.20} and cannot be compared")
        bound = BoundLeaf(op, column.field.field_id, column.path, of, text=leaf.text)
        if leaf.transform is not None and leaf.op not in (Op.IS_NULL, Op.NOT_NULL):
            result = transformed_type(leaf.transform, of)
            if result is None:
                return Opaque(leaf.text, f"unknown transform {leaf.transform!r:.40} of type {of.text}")
            if leaf.transform != "identity":
                bound, of = replace(bound, transform=leaf.transform), result
        if leaf.op in UNARY:
            if leaf.op in (Op.IS_NAN, Op.NOT_NAN) and of.kind not in FLOATS:
                raise refused(leaf, f"column {column.path!r:.100} is of type {of.text}, which has no NaN")
            return bound
        if of.kind not in COMPARABLE:
            return Opaque(leaf.text, f"values of type {of.text} cannot be compared")
        try:
            return ComparisonBinder(bound, of, leaf, negated, self._nulls, self._nan).bound()
        except UndecidedError as why:
            return Opaque(leaf.text, str(why))

    def _is_never_null(self, column: Column) -> bool:
        return self._history is not None and never_null(column.field.field_id, self._schema, self._history)

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
        raise FilterInvalid(f"column {name!r:.{_SHOWN}} not found{at}{hint}", column=name, position=where)

    def _key(self, name: str) -> str:
        return name if self._case_sensitive else name.casefold()

    def _close(self, name: str) -> list[str]:
        if len(name) > _SHOWN:
            return []
        paths = [c.path for found in self._columns.values() for c in found if abs(len(c.path) - len(name)) <= 3]
        same = [path for path in paths if path.casefold() == name.casefold()]
        ending = [c.path for found in self._columns.values() for c in found if c.path.endswith("." + name)]
        return (same or difflib.get_close_matches(name, paths[:200], 3) or ending)[:3]


def without_nan(children: list[Bound]) -> list[Bound]:
    """Return conjuncts without the NaN branches of columns for which another conjunct excludes NaN."""
    numbers = {
        child.field_id
        for child in children
        if isinstance(child, BoundLeaf) and child.op in _NEVER_NAN and child.type.kind in FLOATS
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
    """Yield the children in order, with nested nodes of the same kind flattened."""
    waiting = list(reversed(node.children))
    while waiting:
        child = waiting.pop()
        if type(child) is type(node):
            waiting.extend(reversed(child.children))
        else:
            yield child


def _is_one_comparison(node: And | Or) -> bool:
    """Tell whether the node is one comparison in parts, such as BETWEEN: each part has the text of the whole."""
    return bool(node.text) and all(getattr(child, "text", None) == node.text for child in node.children)


def _words(text: str, negated: bool) -> str:
    return f"NOT ({text})" if negated and text else text


def _describe(leaf: Leaf) -> str:
    """Describe a leaf that was not written as text."""
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
