"""The client's figures of a table: what metadata tells of a snapshot's files and columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from lakemuster.client.choices import Choice, ListChoice, Where, comma_separated, query_choice, where_parameters
from lakemuster.client.model import Row
from lakemuster.client.rows import Rows, as_is
from lakemuster.client.transport import Transport, table_path


class TableFigures:
    """Figures of one table of a server."""

    def __init__(self, transport: Transport, name: str) -> None:
        self._transport = transport
        self.name = name

    def stats(self, where: Where = None, *, nan: str | None = None, **choice: Unpack[Choice]) -> Row:
        """Return the figures of a snapshot: totals, sizes of files and partitions, deletes, Paimon's levels.

        Args:
            where: only data files that may hold matching rows, and the delete files that apply to them.
            nan: as for ``plan``.

        Raises:
            ClientError: ``filter_invalid``, ``request_invalid`` and others.
        """
        params = {**query_choice(choice), **where_parameters(where, nan)}
        row: Row = self._transport.get(table_path(self.name, "stats"), params)
        return row

    def health(self, history: int | None = None) -> Row:
        """Return the health of the table: its components, each with its number, status, remedy and gain.

        Args:
            history: include the health of so many days, at most 366.
        """
        params = {} if history is None else {"history": str(history)}
        row: Row = self._transport.get(table_path(self.name, "health"), params)
        return row

    def columns(self, columns: Iterable[str] | None = None, **choice: Unpack[Choice]) -> Rows[Row]:
        """Return a row for each column: counts, bounds, bytes, and how many files' bounds overlap.

        Args:
            columns: full names of the columns; all if None.
        """
        params = query_choice(choice)
        if columns is not None:
            params["columns"] = comma_separated(columns)
        path = table_path(self.name, "columns")
        return Rows(self._transport, path, params, as_is, page_size=choice.get("page_size"))

    def overlap(self, column: str, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return a row for each partition: how many of its files' bounds of a column contain a value.

        Args:
            column: full name.
        """
        params = {**query_choice(choice), "column": column}
        path = table_path(self.name, "overlap")
        return Rows(self._transport, path, params, as_is, page_size=choice.get("page_size"))

    def bounds(
        self,
        column: str,
        where: Where = None,
        *,
        groups: int | None = None,
        nan: str | None = None,
        **choice: Unpack[Choice],
    ) -> Row:
        """Return groups of data files as intervals of a column, with the number of files that a filter keeps.

        Args:
            column: full name.
            where: the filter whose plan keeps files; None keeps all.
            groups: the maximum number of groups; 120 if None.
            nan: as for ``plan``.
        """
        params = {**query_choice(choice), **where_parameters(where, nan), "column": column}
        if groups is not None:
            params["groups"] = str(groups)
        row: Row = self._transport.get(table_path(self.name, "bounds"), params)
        return row
