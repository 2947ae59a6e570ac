"""Registries of the rules of table formats, by the name of the format.

The planner looks up rules in a registry, and never compares the name of a table's format. Each port has a registry:
``list_rules`` (the rows of lists), ``scan.scan_rules`` (which entries a scan reads, and what may drop one),
``scan.plan_rules`` (how the files of a plan are read), ``aggregates.row_rules``, ``statistics.rules``,
``history.rules`` and ``health.rules``. ``planner.iceberg`` and ``planner.paimon`` implement the ports, and the catalog
registers them.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from lakemuster.errors import FormatUnsupported

Rules = TypeVar("Rules")


class OfFormat(Protocol):
    """A table, or its metadata."""

    @property
    def format(self) -> str:
        """The name of its format."""
        ...


class FormatRegistry(Generic[Rules]):
    """The rules of each format."""

    def __init__(self) -> None:
        self._rules: dict[str, Rules] = {}

    def register(self, name: str, rules: Rules) -> None:
        """Set the rules of a format."""
        self._rules[name] = rules

    def of(self, table: OfFormat) -> Rules:
        """Return the rules of a table's format.

        Raises:
            FormatUnsupported: none are registered.
        """
        try:
            return self._rules[table.format]
        except KeyError:
            raise FormatUnsupported(f"format {table.format} is not registered", format=table.format) from None
