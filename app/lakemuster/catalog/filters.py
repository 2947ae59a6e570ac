"""Filters as callers write them, SQL text or Iceberg expressions; and their residuals in the same language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from lakemuster.errors import FilterInvalid
from lakemuster.metadata.schema import Schema
from lakemuster.planner.scan.applied import NotApplied
from lakemuster.predicates import TRUE, AlwaysTrue, Bound, NanMode, bind
from lakemuster.predicates.sql import parse_sql
from lakemuster.wire.documents import exact
from lakemuster.wire.iceberg_rest.expressions import emit_expression, parse_expression, shallow
from lakemuster.wire.sql_filters import sql_of

KEPT_FILTERS, KEPT_LENGTH = 256, 4096
"""Filters in SQL that are bound and kept, and the longest of them in characters: pages and dashboards ask again."""


def not_applied_out(found: Iterable[NotApplied]) -> list[dict[str, str]]:
    """Conjuncts that do not prune, as answers say them."""
    return [{"filter": one.filter, "reason": one.reason} for one in found]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter.

    Attributes:
        given: SQL text, an expression as a JSON document, or None for all rows.
    """

    given: object

    @classmethod
    def of_text(cls, text: str | None) -> Filter:
        """A filter in a query string: SQL, or the text of a JSON object.

        Raises:
            FilterInvalid: it begins like an object, and is none.
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
        """Whether it was written as SQL."""
        return isinstance(self.given, str)

    def bound(
        self,
        schema: Schema,
        *,
        case_sensitive: bool = True,
        nan: NanMode = "any",
        history: tuple[Schema, ...] | None = None,
    ) -> Bound:
        """The filter over the columns of a schema; negations match null in expressions, and not in SQL.

        Args:
            nan, history: as of :func:`~lakemuster.predicates.bind`.

        Raises:
            FilterInvalid: it cannot be read, or does not fit the columns; says where.
        """
        match self.given:
            case None:
                return TRUE
            case str() as text if len(text) <= KEPT_LENGTH:
                return _bound(text, _Held(schema, history), case_sensitive, nan)
            case str() as text:
                return bind(parse_sql(text), schema, case_sensitive=case_sensitive, nan=nan, history=history)
            case bool() | Mapping() as document:
                tree = parse_expression(document, schema.names)
                return bind(
                    tree, schema, case_sensitive=case_sensitive, negations_match_null=True, nan=nan, history=history
                )
        raise FilterInvalid("a filter is SQL text or an expression, a JSON object")

    def residual(self, bound: Bound) -> str | None:
        """What is left of it, as the text of a JSON value or as SQL; None when nothing is."""
        if isinstance(bound, AlwaysTrue):
            return None
        if isinstance(self.given, str):
            return sql_of(bound, self.given)
        return exact(emit_expression(bound, self.given)).decode()


class _Held:
    """Schemas by their identity: equal ones are not told apart by all of their columns."""

    def __init__(self, schema: Schema, history: tuple[Schema, ...] | None) -> None:
        self.schema, self.history = schema, history
        self._ids = (id(schema), None if history is None else tuple(map(id, history)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other._ids == self._ids

    def __hash__(self) -> int:
        return hash(self._ids)


@lru_cache(maxsize=KEPT_FILTERS)
def _bound(text: str, held: _Held, case_sensitive: bool, nan: NanMode) -> Bound:
    return bind(parse_sql(text), held.schema, case_sensitive=case_sensitive, nan=nan, history=held.history)
