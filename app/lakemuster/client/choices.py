"""What the client's methods take: conditions, and the choice of a snapshot; and their form in requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal, TypedDict

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


class PlanChoice(Choice, total=False):
    """The snapshot to plan, and how a Paimon table is read."""

    scan_mode: Literal["delta", "changelog"] | None
    read_optimized: bool
    splits: bool
    split_target_size: int | None
    split_open_file_cost: int | None


def given_members(question: Mapping[str, object]) -> dict[str, object]:
    """Drop the members that are None: the server's defaults apply."""
    return {key: value for key, value in question.items() if value is not None}


def listed_names(names: Iterable[str] | None) -> list[str] | None:
    """Return names as a list; one name alone is a list of it."""
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def body_choice(choice: Choice) -> dict[str, str]:
    """Return the choice of a snapshot for a request body."""
    return {"snapshot_id" if key == "snapshot" else key: value for key, value in query_choice(choice).items()}


def query_choice(choice: Choice) -> dict[str, str]:
    """Return the choice of a snapshot for a query string."""
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
    if value.tzinfo is None:
        raise ValueError(f"{name} needs a time zone")
    return value.isoformat()
