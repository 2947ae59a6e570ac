"""Parse the operands of expressions: column references, literals, applied functions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lakemuster.metadata.transforms import parse_transform
from lakemuster.metadata.values import nearest_single
from lakemuster.predicates import Literal, LiteralKind
from lakemuster.wire.iceberg_rest.expressions_nodes import FilterBudget, member, named, refused, under, words

_KINDS: dict[str, LiteralKind] = {
    "boolean": "boolean",
    "int": "integer",
    "long": "integer",
    "float": "float",
    "double": "float",
    "date": "date",
    "time": "time",
    "timestamp": "timestamp",
    "timestamptz": "timestamptz",
    "timestamp_ns": "timestamp",
    "timestamptz_ns": "timestamptz",
    "string": "string",
    "uuid": "uuid",
    "binary": "binary",
}
_SCALARS = frozenset({bool, int, float, str})
_DECIMAL = re.compile(r"decimal\(\s*\d{1,2}\s*,\s*-?\d{1,2}\s*\)", re.ASCII)
_FIXED = re.compile(r"fixed\[\d{1,9}\]", re.ASCII)
_NAMED_BY_WIDTH = ("bucket", "truncate")
_TRANSFORMS = frozenset({"identity", *_NAMED_BY_WIDTH, "year", "month", "day", "hour"})
_OURS = (None, "iceberg_functions")
"""Catalogs in which a function with the name of a transform is that transform."""


class ColumnTerm(NamedTuple):
    """A column by its dotted name, and the partition transform applied to it, if any."""

    name: str
    where: str
    transform: str | None = None


class Unusable(NamedTuple):
    """A value that cannot prune; only the columns it is computed from are known, each with its position."""

    reason: str
    names: tuple[tuple[str, str], ...] = ()


Value = ColumnTerm | Literal | Unusable


@dataclass(frozen=True, slots=True)
class OperandParser:
    """A parser of operands.

    Attributes:
        budget: the counters of the filter.
        names: column names by field id, for references by id.
    """

    budget: FilterBudget
    names: Mapping[int, str]

    def term(self, document: object, where: str, depth: int) -> ColumnTerm | Unusable:
        """Parse a ``term``: a name, a reference, or a transform of one.

        Raises:
            FilterInvalid: none of these.
        """
        if isinstance(document, str):
            return ColumnTerm(document, where)
        if isinstance(document, Mapping):
            if named(document, where) == "transform":
                self.budget.level(depth)
                inner = self.term(member(document, "term", where), under(where, ".term"), depth + 1)
                transform = member(document, "transform", where)
                if not isinstance(transform, str):
                    raise refused(f"expected a transform's name, not {words(transform)}", under(where, ".transform"))
                return _transformed(transform, inner)
            found = self.value(document, where, depth)
            if not isinstance(found, Literal):
                return found
        raise refused(f"expected a column's name, a reference or a transform, not {words(document)}", where)

    def value(self, document: object, where: str, depth: int) -> Value:
        """Parse a value expression: a literal, a reference, or an applied function.

        Raises:
            FilterInvalid: none of these.
        """
        if not isinstance(document, Mapping):
            return self.literal(document, where)
        match named(document, where):
            case "literal":
                return self.literal(document, where)
            case "reference":
                return self._reference(document, where)
            case "apply":
                return self._apply(document, where, depth)
            case kind:
                raise refused(f"expected a literal, a reference or an applied function, not {kind!r}", where)

    def literal(self, document: object, where: str) -> Literal:
        """Parse a constant, bare or as an object.

        Raises:
            FilterInvalid: not a literal, or of a type that cannot be compared.
        """
        data_type = None
        if isinstance(document, Mapping):
            if named(document, where) != "literal":
                raise refused(f"expected a literal, not {document['type']!r:.40}", where)
            data_type = document.get("data-type")
            document, where = member(document, "value", where), under(where, ".value")
        return _literal(document, where, None if data_type is None else _kind(data_type, where))

    def literals(self, document: object, where: str) -> tuple[Literal, ...]:
        """Parse the constants of a set, in an array or an object.

        Raises:
            FilterInvalid: not a set, too many values, or an invalid one.
        """
        kind = None
        if isinstance(document, Mapping):
            if named(document, where) != "literals":
                raise refused(f"expected an array of literals, not {document['type']!r:.40}", where)
            kind = _kind(member(document, "data-type", where), where)
            document, where = member(document, "values", where), under(where, ".values")
        if not isinstance(document, list):
            raise refused(f"expected an array of literals, not {words(document)}", where)
        self.budget.listed(len(document))
        if kind is None and all(type(item) in _SCALARS for item in document):
            return tuple(
                [Literal(item, "untyped") for item in document]
            )  # without a position for each: there are thousands
        if kind is None:
            return tuple(self.literal(item, f"{where}[{at}]") for at, item in enumerate(document))
        return tuple(_literal(item, f"{where}[{at}]", kind) for at, item in enumerate(document))

    def _reference(self, node: Mapping[str, object], where: str) -> ColumnTerm:
        found = [key for key in ("name", "id", "term") if key in node]
        if len(found) != 1:
            raise refused("a reference has a name or an id", where)
        key, value = found[0], node[found[0]]
        if key == "id":
            if not isinstance(value, int) or isinstance(value, bool):
                raise refused(f"expected a field id, not {words(value)}", under(where, ".id"))
            if value not in self.names:
                raise refused(f"no column has the id {value!r:.40}", under(where, ".id"))
            return ColumnTerm(self.names[value], where)
        if not isinstance(value, str):
            raise refused(f"expected a column's name, not {words(value)}", under(where, "." + key))
        return ColumnTerm(value, where)

    def _apply(self, node: Mapping[str, object], where: str, depth: int) -> ColumnTerm | Unusable:
        self.budget.level(depth)
        function = _function(member(node, "function", where), under(where, ".function"))
        arguments, inner = member(node, "arguments", where), under(where, ".arguments")
        if not isinstance(arguments, list):
            raise refused(f"expected an array of arguments, not {words(arguments)}", inner)
        name = parse_transform(function)[0]
        if name in _NAMED_BY_WIDTH and len(arguments) == 2:
            width = self.value(arguments[0], f"{inner}[0]", depth + 1)
            source = self.value(arguments[1], f"{inner}[1]", depth + 1)
            if isinstance(width, Literal) and isinstance(source, ColumnTerm) and _is_width(width.value):
                return _transformed(f"{name}[{width.value}]", source)
        elif name in _TRANSFORMS and name not in _NAMED_BY_WIDTH and len(arguments) == 1:
            source = self.value(arguments[0], f"{inner}[0]", depth + 1)
            if not isinstance(source, Literal):
                return _transformed(name, source)
        return Unusable(f"function {function!r:.60} is not known", self._mentioned(arguments, inner, depth))

    def _mentioned(self, arguments: list[object], where: str, depth: int) -> tuple[tuple[str, str], ...]:
        """Return the columns that an unknown function's arguments reference, at any depth."""
        found: list[tuple[str, str]] = []
        waiting: list[tuple[object, str, int]] = [(arguments, where, depth + 1)]
        while waiting:
            document, at, level = waiting.pop()
            self.budget.level(level)
            if isinstance(document, list):
                self.budget.listed(len(document))
                waiting.extend((item, f"{at}[{i}]", level + 1) for i, item in reversed(list(enumerate(document))))
            if not isinstance(document, Mapping):
                continue
            self.budget.node(level)
            self.budget.listed(len(document))
            if document.get("type") == "reference":
                column = self._reference(document, at)
                found.append((column.name, column.where))
            elif isinstance(term := document.get("term"), str):
                found.append((term, under(at, ".term")))
            nested = [(value, under(at, f".{key:.40}"), level + 1) for key, value in document.items()]
            waiting.extend(reversed(nested))
        return tuple(found)


def _transformed(transform: str, inner: ColumnTerm | Unusable) -> ColumnTerm | Unusable:
    if isinstance(inner, Unusable):
        return inner
    name, width = parse_transform(transform.lower() if len(transform) <= 40 else transform)
    names = ((inner.name, inner.where),)
    if name not in _TRANSFORMS or (name in _NAMED_BY_WIDTH) is not bool(width):
        return Unusable(f"unknown transform {transform[:40]!r}", names)
    if name == "identity":
        return inner
    if inner.transform is not None:
        return Unusable("nested transforms are not supported", names)
    return inner._replace(transform=f"{name}[{width}]" if width else name)


def _function(document: object, where: str) -> str:
    """Return a function's name; with its namespaces and catalog if it cannot be a transform."""
    catalog = None
    parts: object = [document] if isinstance(document, str) else document
    if isinstance(document, Mapping):
        catalog, parts = document.get("catalog"), member(document, "identifier", where)
    if not isinstance(parts, list) or not parts or not all(isinstance(part, str) for part in [*parts, catalog or ""]):
        raise refused(f"expected a function's name, not {words(document)}", where)
    if catalog in _OURS and len(parts) == 1:
        return str(parts[0])[:60].lower()
    return ".".join([*([str(catalog)] if catalog else []), *parts])[:200]


def _is_width(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31


def _kind(data_type: object, where: str) -> str:
    """Return the declared type of a literal, in lower case."""
    if isinstance(data_type, str) and len(data_type) <= 40:
        text = data_type.lower()
        if text in _KINDS or _DECIMAL.fullmatch(text) or _FIXED.fullmatch(text):
            return text
        raise refused(f"literals of type {data_type!r} cannot be compared", where)
    raise refused(f"expected a primitive type, not {words(data_type)}", where)


def _literal(value: object, where: str, data_type: str | None) -> Literal:
    if value is None:
        raise refused("null is not a literal: use is-null or not-null", where)
    if not isinstance(value, bool | int | float | str):
        raise refused(f"expected a literal, not {words(value)}", where)
    if data_type is None:
        return Literal(value, "untyped", where)
    if data_type.endswith("_ns") and not isinstance(value, str):
        raise refused(f"a literal of type {data_type} is text, not {words(value)}", where)
    if data_type == "float" and isinstance(value, float):
        value = nearest_single(value)
    kind = _KINDS.get(data_type)
    return Literal(value, kind or ("decimal" if data_type.startswith("decimal") else "binary"), where)
