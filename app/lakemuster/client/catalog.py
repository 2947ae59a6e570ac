"""The client's entry points: a server, its tables, and their lists and plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from lakemuster.client.aggregates import Aggregates
from lakemuster.client.choices import (
    Choice,
    ListChoice,
    PlanChoice,
    TableChoice,
    Where,
    body_choice,
    comma_separated,
    given_members,
    listed_names,
    query_choice,
    query_parameters,
    where_parameters,
)
from lakemuster.client.events import Events
from lakemuster.client.figures import TableFigures
from lakemuster.client.health import FleetHealth
from lakemuster.client.model import RefInfo, RefreshReport, Row, SnapshotInfo, TableInfo
from lakemuster.client.plans import Plan, PlanTask, redeem
from lakemuster.client.references import LocationReferences
from lakemuster.client.rows import Rows, as_is
from lakemuster.client.table_history import TableHistory
from lakemuster.client.tokens import Token
from lakemuster.client.transport import Transport, table_path
from lakemuster.client.webhooks import Webhooks

if TYPE_CHECKING:
    import httpx
    import pyarrow as pa

T = TypeVar("T")
TIMEOUT = 300.0
"""Seconds. A table's first query may wait until it is indexed."""
REFRESH_TIMEOUT = 3600.0


class Client(Events, Webhooks, LocationReferences, FleetHealth):
    """A Lakemuster server.

    Queries are retried a few times when the server is busy or the connection breaks; changes
    (``add``, ``remove``, ``refresh``) are not. Thread-safe.

    Args:
        uri: the server's address, ``http://127.0.0.1:8181``.
        token: a bearer token, for servers that require one; or, for tokens that end, a function that returns the
            current one, which is called before each request. ``TokenFile(path)`` reads it from a file.
        timeout: seconds without a byte before a request counts as failed.
        retries: the maximum of retries of a query.
        compressed: ask for compressed lists: faster on slow networks only.
        transport: an ``httpx`` transport in place of the network.

    Raises:
        ValueError: ``uri`` is not an http or https address.
    """

    def __init__(
        self,
        uri: str,
        token: Token | None = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = 4,
        compressed: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._transport = Transport(
            uri, token, timeout=timeout, retries=retries, compressed=compressed, inner=transport
        )

    @property
    def uri(self) -> str:
        """The server's address."""
        return self._transport.uri

    def __repr__(self) -> str:
        return f"Client({self.uri!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def tables(self, **choice: Unpack[TableChoice]) -> Rows[TableInfo]:
        """Return the tables that the token may see, each with its size; by name unless ``sort`` says otherwise."""
        return Rows(
            self._transport, "/tables", query_parameters(choice), TableInfo.of, page_size=choice.get("page_size")
        )

    def namespaces(self, *, search: str | None = None, sort: str | None = None, order: str | None = None) -> Rows[Row]:
        """Return the namespaces of these tables, each with the sums of its tables' sizes.

        Args:
            search: a part of their names.
            sort: ``name``, ``tables`` or a size such as ``total_bytes``; a minus before it means descending.
            order: ``asc`` or ``desc``.
        """
        asked = {"search": search, "sort": sort, "order": order}
        return Rows(self._transport, "/namespaces", query_parameters(asked), as_is)

    def redeem(self, task: PlanTask) -> tuple[pa.Table, pa.Table]:
        """Return the data files of a plan task (``Plan.tasks``), and the delete files that their ``deletes`` index.

        Raises:
            ClientError: as for ``Plan.to_arrow``; ``page_token_invalid`` if the snapshot no longer exists.
        """
        return redeem(self._transport, task)

    def table(self, name: str) -> Table:
        """Return a table by its dotted name; only its methods send requests."""
        return Table(self._transport, name)

    def add(
        self, name: str, location: str, format: str | None = None, rewrite: Mapping[str, str] | None = None
    ) -> TableInfo:
        """Register a table.

        Args:
            name: the dotted name.
            location: the table's root or, for Iceberg, a ``metadata.json``; within the server's roots.
            format: ``iceberg`` or ``paimon``; detected from the location if None.
            rewrite: prefixes of recorded locations, and their replacements.

        Raises:
            ClientError: among others ``table_exists``, ``not_a_table``, ``location_refused``.
        """
        body: dict[str, object] = {"name": name, "location": location}
        if format is not None:
            body["format"] = format
        if rewrite:
            body["rewrite"] = [{"old": old, "new": new} for old, new in rewrite.items()]
        return TableInfo.of(self._transport.send("POST", "/tables", body))

    def remove(self, name: str) -> None:
        """Remove a table from the server; its files are not changed.

        Raises:
            NotFoundError: no such table.
        """
        self._transport.send("DELETE", table_path(name))

    def refresh(self, name: str, *, timeout: float = REFRESH_TIMEOUT) -> RefreshReport:
        """Read the table's pointer now, and index new snapshots.

        Raises:
            ClientError: the table is unknown, or its storage does not respond.
        """
        return RefreshReport.of(self._transport.send("POST", table_path(name, "refresh"), timeout=timeout))


class Table(TableFigures, TableHistory):
    """One table of a server. ``Choice`` has the arguments that select a snapshot."""

    def __repr__(self) -> str:
        return f"Table({self.name!r})"

    def info(self) -> TableInfo:
        """Return the table's registration and current state.

        Raises:
            NotFoundError: no such table.
        """
        return TableInfo.of(self._transport.get(table_path(self.name)))

    def snapshots(self, **choice: Unpack[ListChoice]) -> Rows[SnapshotInfo]:
        """Return all snapshots of main in the table's metadata, newest first; chosen, that snapshot and its ancestors.

        A ``ref`` that names another branch gives that branch's snapshots.
        """
        return self._rows("snapshots", query_choice(choice), SnapshotInfo.of, page_size=choice.get("page_size"))

    def snapshot(self, snapshot_id: int | str, *, ref: str | None = None) -> SnapshotInfo:
        """Return one snapshot.

        Args:
            ref: the branch of the id: Paimon numbers the snapshots of each branch separately.

        Raises:
            NotFoundError: the table has no such snapshot.
        """
        of = None if ref is None else {"ref": ref}
        return SnapshotInfo.of(self._transport.get(table_path(self.name, "snapshots", str(snapshot_id)), of))

    def refs(self, **choice: Unpack[ListChoice]) -> Rows[RefInfo]:
        """Return branches and tags; with a choice, those that name the snapshot."""
        return self._rows("refs", query_choice(choice), RefInfo.of, page_size=choice.get("page_size"))

    def schemas(self, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return all versions of the table's columns; with a choice, the one that the snapshot is read with."""
        return self._chosen("schemas", {}, choice)

    def specs(self, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return all versions of the table's partitioning; with a choice, those of the snapshot's manifests."""
        return self._chosen("specs", {}, choice)

    def manifests(self, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return the snapshot's manifest list, with typed partition bounds."""
        return self._chosen("manifests", {}, choice)

    def entries(self, *, manifest: str | None = None, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return all manifest entries with all fields; only those of one manifest when ``manifest`` names it."""
        return self._chosen("entries", {} if manifest is None else {"manifest": manifest}, choice)

    def files(
        self,
        *,
        where: Where = None,
        nan: str | None = None,
        content: str | Iterable[str] | None = None,
        stats: Iterable[str] | None = None,
        **choice: Unpack[ListChoice],
    ) -> Rows[Row]:
        """Return live data and delete files.

        Args:
            where: a filter: only data files that may hold matching rows, and the delete files that apply to them.
            nan: as for ``plan``.
            content: ``data``, ``position-deletes``, ``equality-deletes``, ``changelog``; all live files if None.
            stats: columns whose statistics are shown.
        """
        params = where_parameters(where, nan)
        if content is not None:
            params["content"] = comma_separated(content)
        if stats is not None:
            params["stats"] = comma_separated(stats)
        return self._chosen("files", params, choice)

    def plan(
        self,
        where: Where = None,
        select: Iterable[str] | None = None,
        *,
        limit: int | None = None,
        strict: bool = False,
        stats: Iterable[str] | None = None,
        case_sensitive: bool = True,
        nan: str | None = None,
        start_snapshot_id: int | str | None = None,
        end_snapshot_id: int | str | None = None,
        **choice: Unpack[PlanChoice],
    ) -> Plan:
        """Plan a scan: the files that a query must read.

        Args:
            where: the filter: a SQL condition, or an Iceberg expression as a dictionary.
            select: the columns that will be read, by dotted name. They are checked, and limit ``stats=["*"]``; they
                do not change which files are read.
            limit: enough rows: the plan ends once its files are known to hold this many matching rows.
            strict: refuse a filter if one of its conjuncts cannot drop files.
            stats: columns whose statistics are shown; ``["*"]`` for all selected columns.
            case_sensitive: whether ``ID`` and ``id`` are different columns.
            nan: the meaning of comparisons with NaN: ``greatest``, ``unordered``, ``any`` (keep files that either could
                match) or ``none`` (trust bounds); the server's setting for the table if None.
            start_snapshot_id, end_snapshot_id: plan only files appended after the first and up to the second.
            choice: the snapshot; ``schema_id``, the schema whose column names are used; and for Paimon tables only:
                ``scan_mode`` (``delta``, or ``changelog`` files, with ``start_snapshot_id``), ``read_optimized``
                (only files that need no merging), ``splits``, ``split_target_size``, ``split_open_file_cost`` (pack
                files into splits; sizes in bytes).

        Raises:
            ClientError: ``filter_invalid``, ``request_invalid`` and others.
        """
        question = {
            "filter": where,
            "select": listed_names(select),
            "limit": limit,
            "strict": strict or None,
            "stats": listed_names(stats),
            "case_sensitive": None if case_sensitive else False,
            "nan": nan,
            "start_snapshot_id": None if start_snapshot_id is None else str(start_snapshot_id),
            "end_snapshot_id": None if end_snapshot_id is None else str(end_snapshot_id),
        }
        path = table_path(self.name, "plan")
        question |= {
            "schema_id": choice.get("schema_id"),
            "scan_mode": choice.get("scan_mode"),
            "read_optimized": choice.get("read_optimized") or None,
            "splits": choice.get("splits") or None,
            "split_target_size": choice.get("split_target_size"),
            "split_open_file_cost": choice.get("split_open_file_cost"),
        }
        body = given_members({**question, **body_choice(choice, PlanChoice)})
        return Plan(self._transport, path, body, choice.get("page_size"))

    def explain(
        self,
        where: Where = None,
        files: Iterable[str] | None = None,
        *,
        case_sensitive: bool = True,
        nan: str | None = None,
        **choice: Unpack[Choice],
    ) -> Row:
        """Return the server's explanation: the counts that each level drops, and the reason for each named file.

        Args:
            where, nan: as for ``plan``.
            files: locations of data files to explain one by one.

        Raises:
            ClientError: as for ``plan``.
        """
        question = {
            "filter": where,
            "files": listed_names(files),
            "case_sensitive": None if case_sensitive else False,
            "nan": nan,
        }
        row: Row = self._transport.query(
            table_path(self.name, "explain"), given_members({**question, **body_choice(choice)})
        )
        return row

    def statistics(
        self,
        aggregates: Iterable[str] = ("count",),
        where: Where = None,
        *,
        case_sensitive: bool = True,
        nan: str | None = None,
        **choice: Unpack[Choice],
    ) -> Aggregates:
        """Compute aggregates of the rows that match, from metadata alone: exact, or intervals with the reason.

        Args:
            aggregates: ``count``, ``min(column)``, ``max(column)``, ``null_count(column)``; ``files`` and ``bytes`` of
                the data files that a query must read.
            where, nan: as for ``plan``.

        Raises:
            ClientError: as for ``plan``.
        """
        question = {
            "filter": where,
            "aggregates": listed_names(aggregates),
            "case_sensitive": None if case_sensitive else False,
            "nan": nan,
        }
        path = table_path(self.name, "statistics")
        return Aggregates.of(self._transport.query(path, given_members({**question, **body_choice(choice)})))

    def partitions(self, *, where: Where = None, nan: str | None = None, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return one row per partition: files, records, bytes, delete files, last commit.

        Args:
            where: a filter: only the files that ``files`` lists with it are counted.
            nan: as for ``plan``.
        """
        return self._chosen("partitions", where_parameters(where, nan), choice)

    def ready_partitions(self, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return the partitions that are complete by the rules of the table's settings, oldest first."""
        return self._chosen("ready_partitions", {}, choice)

    def indexes(self, **choice: Unpack[ListChoice]) -> Rows[Row]:
        """Return Paimon's index files; none for Iceberg."""
        return self._chosen("indexes", {}, choice)

    def system_tables(self) -> Rows[Row]:
        """Return a Paimon table's system tables, with their columns; none for Iceberg."""
        return self._rows("system", {}, as_is)

    def system(self, name: str, **choice: Unpack[Choice]) -> Rows[Row]:
        """Return the rows of one of Paimon's system tables (``files`` for ``$files``), with Paimon's columns.

        For those that belong to the table (``snapshots``, ``tags`` …), ``choice`` is a branch, by ``ref``.
        """
        return self._chosen(("system", name), {}, choice)

    def _chosen(self, kind: str | tuple[str, str], params: Mapping[str, str], choice: ListChoice | Choice) -> Rows[Row]:
        page_size = choice.get("page_size")
        return self._rows(kind, {**params, **query_choice(choice)}, as_is, page_size=page_size)

    def _rows(
        self,
        kind: str | tuple[str, str],
        params: Mapping[str, str],
        convert: Callable[[Row], T],
        *,
        page_size: int | None = None,
    ) -> Rows[T]:
        segments = (kind,) if isinstance(kind, str) else kind
        return Rows(self._transport, table_path(self.name, *segments), params, convert, page_size=page_size)
