"""Arguments and options that commands share."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.metadata.format_names import format_names

AGE_UNITS_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000}
"""The units of ages, the largest first."""
_AGE = re.compile(r"(\d{1,9})([dhms])", re.ASCII)


class Nan(StrEnum):
    """The meaning of comparisons with NaN."""

    ANY = "any"
    GREATEST = "greatest"
    UNORDERED = "unordered"
    NONE = "none"


def _complete_format(incomplete: str) -> list[str]:
    return [name for name in format_names() if name.startswith(incomplete)]


def _format(name: str) -> str:
    names = format_names()
    if name not in names:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, names))}.")
    return name


def snapshot_id(number: int | None) -> int | None:
    """Return a snapshot's id, or None.

    Raises:
        typer.BadParameter: it has more than 64 bits.
    """
    if number is not None and not -(2**63) <= number < 2**63:
        raise typer.BadParameter(f"{number} is not a snapshot id: it has more than 64 bits.")
    return number


def branch_or_tag(name: str | None) -> str | None:
    """Return the name of a branch or tag, or None.

    Raises:
        typer.BadParameter: it is empty.
    """
    if name == "":
        raise typer.BadParameter("a branch or tag has a name, and this is empty.")
    return name


Uri = Annotated[
    str | None,
    typer.Option(
        "--uri",
        metavar="URL",
        show_default=False,
        help="Server to use instead of the index in this folder. Default: LAKEMUSTER_URI.",
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        metavar="TOKEN",
        show_default=False,
        help="Bearer token; other users of this machine can see it. Default: LAKEMUSTER_TOKEN.",
    ),
]
TokenEnv = Annotated[
    str | None,
    typer.Option(
        "--token-env", metavar="VARIABLE", show_default=False, help="Environment variable that holds the bearer token."
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        show_default=False,
        help="File that holds the bearer token; it is read again before each request.",
    ),
]
SnapshotId = Annotated[
    int | None,
    typer.Option(
        "--snapshot",
        metavar="ID",
        show_default=False,
        callback=snapshot_id,
        help="Snapshot to read instead of the current one.",
    ),
]
Ref = Annotated[
    str | None,
    typer.Option("--ref", metavar="NAME", show_default=False, callback=branch_or_tag, help="Branch or tag to read."),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        show_default=False,
        help="Snapshot at this time: 2024-05-01, 2024-05-01T12:00:00+02:00; UTC if it has no zone.",
    ),
]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="ROWS", min=1, show_default=False, help="Maximum number of rows.")
]


Sort = Annotated[
    str | None,
    typer.Option(
        "--sort", metavar="FIELD", show_default=False, help="Field to sort by; a minus before it means descending."
    ),
]
SortOfTop = Annotated[
    str | None,
    typer.Option(
        "--sort",
        metavar="FIELD",
        show_default=False,
        help="Field to sort by, together with --top; a minus before it means descending.",
    ),
]
Top = Annotated[
    int | None,
    typer.Option("--top", metavar="ROWS", min=1, max=10_000, show_default=False, help="First rows of the sorted list."),
]


def parse_where(text: str | None) -> object:
    """Parse a filter: SQL, or the JSON of an Iceberg expression.

    Raises:
        typer.BadParameter: it begins like a JSON object, but is not valid JSON.
    """
    if text is None or not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise typer.BadParameter("this is neither SQL nor JSON", param_hint="--where") from None


def _readable(text: str | None) -> str | None:
    parse_where(text)
    return text


Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="SQL",
        show_default=False,
        callback=_readable,
        help="Filter on rows: day >= DATE '2024-05-01' AND region IN ('eu', 'us').",
    ),
]
NanMode = Annotated[
    Nan | None,
    typer.Option(
        "--nan",
        show_default=False,
        help="What comparisons with NaN mean: greatest (Spark, DuckDB), unordered (Trino), any (keep what either could "
        "match), none (trust bounds, as Iceberg does). Default: the table's setting, or any.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document with every field.")]
Rewrites = Annotated[
    list[str] | None,
    typer.Option(
        "--rewrite",
        metavar="OLD=NEW",
        show_default=False,
        help="For a moved table: replace the prefix OLD of recorded locations with NEW. Repeatable.",
    ),
]
TableFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        parser=_format,
        metavar="|".join(format_names()),
        autocompletion=_complete_format,
        show_default=False,
        help="Table format. Default: detected from the location.",
    ),
]


def _no_where(where: str | None) -> None:
    if where is not None:
        raise typer.BadParameter("this list takes no filter; files, plan and explain do", param_hint="--where")


NoWhere = Annotated[str | None, typer.Option("--where", hidden=True, callback=_no_where)]


def _no_uri(context: typer.Context, uri: str | None) -> str | None:
    if context.resilient_parsing:
        return uri
    here = f"{context.info_name} works on the index of this folder only"
    if uri:
        raise typer.BadParameter(f"{here}, not on a server", param_hint="--uri")
    if uri is None and os.environ.get("LAKEMUSTER_URI", "").strip():
        fail(f"{here}, not on the server of LAKEMUSTER_URI")
    return uri


NoUri = Annotated[str | None, typer.Option("--uri", hidden=True, callback=_no_uri)]


def words(text: str | None) -> list[str] | None:
    """Split a comma-separated list; None if it is not given."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def parse_rewrites(words: list[str] | None) -> tuple[tuple[str, str], ...]:
    """Split ``OLD=NEW`` words into pairs, at the first ``=``.

    Raises:
        typer.BadParameter: a word without both sides.
    """
    pairs = []
    for word in words or ():
        old, equals, new = word.partition("=")
        if not (old and equals and new):
            raise typer.BadParameter(f"{word!r} is not OLD=NEW", param_hint="--rewrite")
        pairs.append((old, new))
    return tuple(pairs)


def age_ms(text: str) -> int | None:
    """Return an age such as ``3d`` or ``36h`` in milliseconds; None if the text is not an age."""
    found = _AGE.fullmatch(text.strip())
    return None if found is None else int(found[1]) * AGE_UNITS_MS[found[2]]


def parse_time(text: str | None, option: str = "--as-of") -> datetime | None:
    """Parse an ISO 8601 date or time, in UTC if it has no zone.

    Raises:
        typer.BadParameter: the text is neither.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a time such as 2024-05-01T12:00:00Z", param_hint=option) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
