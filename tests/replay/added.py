"""Intentional additions to responses since the base, and other intentional changes, with reasons.

Additions are removed from the tree's response before the comparison; all other bytes must be equal. The report counts
the responses for each entry; in a whole replay, an entry without a response is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from tests.replay.exchanges import Answer, Pairs, Request
from tests.replay.masks import Mask


@dataclass(frozen=True, slots=True)
class Addition:
    """A part of the tree's responses to some operations that the base's lack.

    Attributes:
        operations: a pattern of ``METHOD template``.
        pattern: matches the added bytes.
    """

    name: str
    operations: re.Pattern[str]
    pattern: re.Pattern[bytes]
    reason: str


_ARROW = "application/vnd.apache.arrow.stream"
_OF_TABLES = "files|entries|diff|manifests|schemas|indexes|refs|specs|partitions|snapshots|system.*"
_LISTS = r"GET /api/v1/tables(/\{table\}/(" + _OF_TABLES + "))?"
_TABLES = r"(GET|POST) /api/v1/tables|GET /api/v1/tables/\{table\}"
_COUNT = rb"(?:null|-?[0-9]+)"
_FIGURES = b"".join(
    b',"%s":%s' % (name, _COUNT)
    for name in (b"total_records", b"data_files", b"total_bytes", b"delete_files", b"snapshots")
)

ADDED: tuple[Addition, ...] = (
    Addition(
        "settings of a table",
        re.compile(r"GET /api/v1/tables/\{table\}"),
        re.compile(rb',"settings":\{"staleness":[0-9.]+,"history":[0-9]+,"nan":"[a-z]+",[^\n]*\}(?=\}$)'),
        "a table shows which settings hold for it",
    ),
    Addition(
        "figures of a table",
        re.compile(_TABLES),
        re.compile(_FIGURES + rb',"last_committed_at":(?:null|"[0-9T:.Z-]+"),"health":(?:null|"[a-z]+")'),
        "lists of tables show sizes and health",
    ),
    Addition(
        "catalog of a table", re.compile(_TABLES), re.compile(rb',"catalog":null(?=,"format")'), "tables of catalogs"
    ),
    Addition("numbers of rows", re.compile(_LISTS), re.compile(rb',"total_count":' + _COUNT), "lists count their rows"),
    Addition("CSV", re.compile(_LISTS), re.compile(rb', text/csv(?="\}\}$)'), "lists are given as CSV"),
)

CHANGED = {
    "GET /": "the console, not a redirect to the documentation",
    "GET /docs": "describes what was added; docs/reference and openapi.yaml are compared with the code by other tests",
    "GET /openapi.json": "as /docs",
    "GET /metrics": "names follow the conventions of Prometheus; other tests compare them with what clients count",
}
"""Operations whose responses are not compared, and why."""

COLUMNS = re.compile(r"GET /api/v1/tables(/\{table\}/partitions)?")
"""Lists with new columns or column types: only the base's columns of their Arrow streams are compared."""

UNORDERED = {"GET /api/v1/tables/{table}/schemas": "members of types are in the order of the answer's model"}
"""Operations for whose JSON responses the order of members is not compared, and why."""

OLDEST_FIRST = re.compile(r"GET /api/v1/tables/\{table\}/snapshots"), ("order", "asc")
"""Snapshots are now listed newest first: the tree is sent the parameter for the base's order."""

LATER = (
    Mask(
        "zones of times",
        "times end with Z everywhere",
        re.compile(r"GET /api/v1/tables/\{table\}/partitions"),
        re.compile(rb'"last_updated_at":"[0-9T:.-]+(?P<differs>\+00:00|Z)"'),
    ),
    Mask(
        "sizes of Paimon snapshots",
        "files and bytes are counted as the snapshot is published; the base did not know them, -1",
        re.compile(r"GET /paimon/v1/lakemuster/databases/\{database\}/tables/\{table\}/snapshot(s/\{version\})?"),
        re.compile(rb'"recordCount":-?[0-9]+,(?P<differs>"fileSizeInBytes":-?[0-9]+,"fileCount":-?[0-9]+),'),
    ),
    Mask(
        "tokens of lists of snapshots",
        "they say by which column the list is sorted",
        re.compile(r"GET /api/v1/tables/\{table\}/snapshots"),
        re.compile(rb'"next_page_token":"(?P<differs>[A-Za-z0-9_-]+)"'),
    ),
    Mask(
        "tokens of Iceberg lists",
        "they are signed with another key",
        re.compile(r"GET /iceberg/v1/namespaces.*"),
        re.compile(rb'"next-page-token":"(?P<differs>[A-Za-z0-9_-]+)"'),
    ),
)


def without_additions(
    tree: Answer, operation: str, entries: Sequence[Addition] = ADDED
) -> tuple[Answer, tuple[Addition, ...]]:
    """Return the tree's response without additions, and the entries that were used."""
    body, used = tree.body, list[Addition]()
    for entry in entries:
        if entry.operations.fullmatch(operation):
            body, count = entry.pattern.subn(b"", body)
            used += [entry] * bool(count)
    headers = tuple(_without_encoding(pair) for pair in tree.headers)
    tree = replace(tree, headers=tuple(pair for pair in headers if pair != ("vary", "")))
    if not used:
        return tree, ()
    length = ("content-length", str(len(tree.body))), ("content-length", str(len(body)))
    headers = tuple(length[1] if pair == length[0] else pair for pair in tree.headers)
    return replace(tree, body=body, headers=headers), tuple(used)


def _without_encoding(header: tuple[str, str]) -> tuple[str, str]:
    """Remove ``Accept-Encoding`` from a ``Vary`` header, since the replay requests no compression."""
    name, value = header
    if name != "vary":
        return header
    return name, ", ".join(one for one in value.split(", ") if one != "Accept-Encoding")


def ordered(answer: Answer, operation: str) -> Answer:
    """Return the response with sorted JSON members, if their order is not compared."""
    if operation not in UNORDERED or answer.document is None:
        return answer
    return replace(answer, body=json.dumps(answer.document, sort_keys=True).encode())


def columns_of(base: Answer, answer: Answer, operation: str) -> Answer:
    """Return a response with the base's columns of an Arrow stream as JSON, for operations that match ``COLUMNS``.

    The column ``extra`` is excluded; JSON responses of the same lists are compared completely.
    """
    if not COLUMNS.fullmatch(operation) or base.header("content-type") != _ARROW or answer.status != 200:
        return answer
    with pa.ipc.open_stream(base.body) as stream:
        names = [name for name in stream.schema.names if name != "extra"]
    with pa.ipc.open_stream(answer.body) as stream:
        table = stream.read_all()
    columns = {name: [str(table.schema.field(name).type), table.column(name).to_pylist()] for name in names}
    return replace(answer, body=json.dumps(columns, default=str).encode(), headers=_without_length(answer))


def _without_length(answer: Answer) -> Pairs:
    return tuple(pair for pair in answer.headers if pair[0] != "content-length")


def asked_as_before(request: Request, operation: str) -> Request:
    """Return the request for which the tree returns what the base returned for this one."""
    pattern, (name, value) = OLDEST_FIRST
    if not pattern.fullmatch(operation) or f"{name}=" in request.target:
        return request
    return replace(request, target=f"{request.target}{'&' if '?' in request.target else '?'}{name}={value}")
