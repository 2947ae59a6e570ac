"""Spark SQL commands that improve a table's health, ready to run: names and strings are quoted.

Source: Spark, "Identifiers", "Literals"; Iceberg, "Spark Procedures"; Paimon, "Procedures".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lakemuster.metadata.names import parse_name
from lakemuster.upstream.locations import split_catalog_location

SESSION_CATALOG = "spark_catalog"
"""The Spark catalog of tables that are not in an attached catalog, if the settings name none."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of one table.

    Attributes:
        catalog: the name of its Spark catalog.
        levels: the name of the table in that catalog.
    """

    catalog: str
    levels: tuple[str, ...]

    @classmethod
    def of(cls, name: str, location: str, catalog: str | None) -> Commands:
        """Return the commands of a table.

        Args:
            name: its dotted name in Lakemuster.
            location: as registered; for a table of an attached catalog, the catalog and its name there.
            catalog: the Spark catalog; None for the attached catalog's name, or the session's catalog.
        """
        attached = split_catalog_location(location)
        if attached is not None:
            return cls(catalog or attached[0], attached[1])
        return cls(catalog or SESSION_CATALOG, parse_name(name))

    def call(
        self, system: str, procedure: str, options: Mapping[str, str] | None = None, **arguments: str | int
    ) -> str:
        """Return a call of a procedure for the table.

        Args:
            system: the namespace of procedures: ``system`` for Iceberg, ``sys`` for Paimon.
            options: the procedure's argument ``options``.
            arguments: further arguments, by name.
        """
        given = [f"table => {literal('.'.join(map(identifier, self.levels)))}"]
        given += [f"{name} => {literal(value)}" for name, value in arguments.items()]
        if options:
            pairs = ", ".join(f"{literal(key)}, {literal(value)}" for key, value in options.items())
            given.append(f"options => map({pairs})")
        return f"CALL {identifier(self.catalog)}.{system}.{procedure}({', '.join(given)})"

    def set_properties(self, properties: Mapping[str, str]) -> str:
        """Return the statement that sets properties of the table."""
        name = ".".join(map(identifier, (self.catalog, *self.levels)))
        pairs = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in properties.items())
        return f"ALTER TABLE {name} SET TBLPROPERTIES ({pairs})"


def identifier(name: str) -> str:
    """Return an identifier, quoted if necessary."""
    return name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def literal(value: str | int) -> str:
    """Return the SQL literal of a string or a number."""
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
