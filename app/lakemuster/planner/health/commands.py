"""Commands for Spark that mend a table, as text that runs as it is: names and strings are quoted.

Source: Spark, "Identifiers", "Literals"; Iceberg, "Spark Procedures"; Paimon, "Procedures".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lakemuster.metadata.names import parse_name
from lakemuster.upstream.locations import split_catalog_location

SESSION_CATALOG = "spark_catalog"
"""The Spark catalog of tables of which nobody says where they are."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of one table.

    Attributes:
        catalog: the name of its Spark catalog.
        levels: its name there.
    """

    catalog: str
    levels: tuple[str, ...]

    @classmethod
    def of(cls, name: str, location: str, catalog: str | None) -> Commands:
        """Return the commands of a table.

        Args:
            name: the dotted name here.
            location: as registered: of a table of an attached catalog, the catalog and its name there.
            catalog: the Spark catalog; None for the attached catalog's name, or the session's catalog.
        """
        attached = split_catalog_location(location)
        if attached is not None:
            return cls(catalog or attached[0], attached[1])
        return cls(catalog or SESSION_CATALOG, parse_name(name))

    def call(
        self, system: str, procedure: str, options: Mapping[str, str] | None = None, **arguments: str | int
    ) -> str:
        """Return the call of a procedure about the table.

        Args:
            system: the namespace of procedures: ``system`` of Iceberg, ``sys`` of Paimon.
            options: the procedure's argument ``options``.
            arguments: others, by name.
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
    """Quote an identifier if it needs that."""
    return name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def literal(value: str | int) -> str:
    """Return a literal of a string or a number."""
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
