"""The arguments of the client's methods (conditions, the choice of a snapshot), and their form in requests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal, TypedDict, cast, get_type_hints

Where = str | Mapping[str, object] | None
"""A SQL condition, or an expression of the Iceberg REST catalog protocol."""


class Choice(TypedDict, total=False):
    """The snapshot of a list: at most one of the three; the current one of the main branch otherwise.

    ``as_of`` is a time with a zone, or text that the server parses. ``page_size`` is the number of rows per request.
    """

    snapshot_id: int | str | None
    ref: str | None
    as_of: datetime | str | None
    page_size: int | None


class ListChoice(Choice, total=False):
    """The snapshot of a list, and the order of its rows.

    ``sort`` is a field; a minus before it means descending, as ``order="desc"`` does. ``top`` is the number of rows of
    the sorted list; files and entries are sorted only with it. ``fields`` are those that the rows have.
    """

    sort: str | None
    order: Literal["asc", "desc"] | None
    top: int | None
    fields: Iterable[str] | None


class PlanChoice(Choice, total=False):
    """The snapshot to plan, the schema whose column names are used, and how a Paimon table is read."""

    schema_id: int | None
    scan_mode: Literal["delta", "changelog"] | None
    read_optimized: bool
    splits: bool
    split_target_size: int | None
    split_open_file_cost: int | None


class TableChoice(TypedDict, total=False):
    """The tables to list, and their order: see the query parameters of ``GET /tables``."""

    namespace: str | None
    search: str | None
    format: str | None
    catalog: str | None
    stale: bool | None
    health: str | None
    component: str | None
    sort: str | None
    order: Literal["asc", "desc"] | None
    page_size: int | None


def given_members(question: Mapping[str, object]) -> dict[str, object]:
    """Drop the members that are None: the server's defaults apply."""
    return {key: value for key, value in question.items() if value is not None}


def listed_names(names: Iterable[str] | None) -> list[str] | None:
    """Return names as a list; a string is a single name."""
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def comma_separated(names: Iterable[str]) -> str:
    """Return names as a query parameter; a string is sent as it is.

    Raises:
        ValueError: the server would read a name as other ones.
    """
    if isinstance(names, str):
        return names
    found = list(names)
    for name in found:
        if "," in name or name != name.strip():
            raise ValueError(f"{name!r} cannot be in a list that commas separate")
    return ",".join(found)


def query_parameters(members: Mapping[str, object]) -> dict[str, str]:
    """Return the members that are given as query parameters, but not the page size."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in given_members(members).items()
        if name != "page_size"
    }


def where_parameters(where: Where, nan: str | None) -> dict[str, str]:
    """Return the query parameters of a condition."""
    text = where if where is None or isinstance(where, str) else json.dumps(where)
    return query_parameters({"filter": text, "nan": nan})


def require_members(choice: Mapping[str, object], kind: type[Choice]) -> None:
    """Refuse keyword arguments that a choice does not have: dropping them would return more rows than requested.

    Raises:
        TypeError: there is one.
    """
    known = get_type_hints(kind)
    unknown = sorted(choice.keys() - known.keys())
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}; the choice has {', '.join(known)}")


def body_choice(choice: Choice, kind: type[Choice] = Choice) -> dict[str, str]:
    """Return the choice of a snapshot for a request body.

    Raises:
        TypeError: the choice has other members than its kind.
        ValueError: ``as_of`` is a time without a zone.
    """
    require_members(choice, kind)
    return {"snapshot_id" if key == "snapshot" else key: value for key, value in _snapshot_choice(choice).items()}


def query_choice(choice: Choice | ListChoice) -> dict[str, str]:
    """Return the choice of a snapshot, and the order of the rows, for a query string.

    Raises:
        TypeError: the choice has other members than ``ListChoice``.
        ValueError: ``as_of`` is a time without a zone.
    """
    require_members(choice, ListChoice)
    asked = cast("ListChoice", choice)
    fields = asked.get("fields")
    arrangement = {name: asked.get(name) for name in ("sort", "order", "top")}
    arrangement["fields"] = None if fields is None else comma_separated(fields)
    return {**_snapshot_choice(choice), **query_parameters(arrangement)}


def _snapshot_choice(choice: Choice | ListChoice) -> dict[str, str]:
    params: dict[str, str] = {}
    if (snapshot_id := choice.get("snapshot_id")) is not None:
        params["snapshot"] = str(snapshot_id)
    if (ref := choice.get("ref")) is not None:
        params["ref"] = ref
    if (as_of := choice.get("as_of")) is not None:
        params["as_of"] = moment("as_of", as_of)
    return params


def moment(name: str, value: datetime | str) -> str:
    """Return a time as text.

    Raises:
        ValueError: it has no zone.
    """
    if not isinstance(value, datetime):
        return value
    offset = value.utcoffset()
    if offset is None:
        raise ValueError(f"{name} needs a time zone")
    # Local times of the 19th century have offsets with seconds, which RFC 3339 does not.
    return (value.astimezone(UTC) if offset % timedelta(minutes=1) else value).isoformat()
