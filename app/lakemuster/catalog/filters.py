"""Parse and bind filters, SQL text or Iceberg expressions, and write residuals in the language of the filter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lakemuster.caching import Cache
from lakemuster.errors import FilterInvalid
from lakemuster.metadata.schema import Schema
from lakemuster.planner.scan.applied import NotApplied
from lakemuster.predicates import TRUE, AlwaysTrue, Bound, NanMode, bind
from lakemuster.predicates.sql import parse_sql
from lakemuster.wire.documents import exact
from lakemuster.wire.iceberg_rest.expressions import emit_expression, parse_expression, shallow
from lakemuster.wire.sql_filters import sql_of

_BYTES_PER_CHARACTER = 50
"""Memory of a bound filter for each character of its text."""


def not_applied_out(found: Iterable[NotApplied]) -> list[dict[str, str]]:
    """Return the conjuncts that do not prune, in the form of responses."""
    return [{"filter": one.filter, "reason": one.reason} for one in found]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter as the caller wrote it.

    Attributes:
        given: SQL text, an expression as a JSON document, or None for all rows.
    """

    given: object

    @classmethod
    def of_text(cls, text: str | None) -> Filter:
        """Parse a filter of a query string: SQL, or the text of a JSON object.

        Raises:
            FilterInvalid: it begins like a JSON object, but is not one.
        """
        if text is None or not text.lstrip().startswith("{"):
            return cls(text)
        try:
            return cls(shallow(json.loads(text)))
        except (ValueError, RecursionError) as cause:
            reason = (
                f"{cause.msg} (character {cause.pos + 1})" if isinstance(cause, json.JSONDecodeError) else "too deep"
            )
            raise FilterInvalid(f"the filter is not JSON: {reason}") from cause

    @property
    def is_sql(self) -> bool:
        """Whether the filter was written as SQL."""
        return isinstance(self.given, str)

    def bound(
        self,
        schema: Schema,
        *,
        case_sensitive: bool = True,
        nan: NanMode = "any",
        history: tuple[Schema, ...] | None = None,
    ) -> Bound:
        """Bind the filter to a schema's columns; negations match null in expressions, but not in SQL.

        Args:
            nan, history: see :func:`~lakemuster.predicates.bind`.

        Raises:
            FilterInvalid: it cannot be parsed, or does not fit the columns; the message says where.
        """
        match self.given:
            case None:
                return TRUE
            case str() as text:
                return _bound_filters.get_or_make(
                    (text, _Held(schema, history), case_sensitive, nan),
                    lambda: bind(parse_sql(text), schema, case_sensitive=case_sensitive, nan=nan, history=history),
                )
            case bool() | Mapping() as document:
                tree = parse_expression(document, schema.names)
                return bind(
                    tree, schema, case_sensitive=case_sensitive, negations_match_null=True, nan=nan, history=history
                )
        raise FilterInvalid("a filter is SQL text or an expression, a JSON object")

    def residual(self, bound: Bound) -> str | None:
        """Return the residual ``bound`` as the text of a JSON value or as SQL; None if nothing is left."""
        if isinstance(bound, AlwaysTrue):
            return None
        if isinstance(self.given, str):
            return sql_of(bound, self.given)
        return exact(emit_expression(bound, self.given)).decode()


class _Held:
    """A cache key for schemas: compared by identity, which is faster than comparing all of their columns."""

    def __init__(self, schema: Schema, history: tuple[Schema, ...] | None) -> None:
        self.schema, self.history = schema, history
        self._ids = (id(schema), None if history is None else tuple(map(id, history)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other._ids == self._ids

    def __hash__(self) -> int:
        return hash(self._ids)


_FilterKey = tuple[str, _Held, bool, NanMode]

_bound_filters: Cache[_FilterKey, Bound] = Cache("filters", lambda key, _: 2000 + _BYTES_PER_CHARACTER * len(key[0]))
"""Bound SQL filters: pages and dashboards repeat them."""
