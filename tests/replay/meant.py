"""Intentional differences in wording between the base and the tree, and why.

Entries are applied before the comparison: an old text in the recorded response is replaced by the new one. All other
bytes must be equal, so an entry covers neither a code, nor a status, nor text elsewhere. The report counts the
responses for each entry; in a whole replay, an entry without a response is an error.

Old and new text are given without JSON escapes. A field in braces stands for any text within a JSON string; the new
text may repeat it. If the new text depends on more than the old one, it is a pattern.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

import pyarrow as pa

from tests.replay.exchanges import Answer, Pairs

_ARROW = "application/vnd.apache.arrow.stream"
_TEXT = rb'(?:[^"\\\n]|\\.)'
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Rewording:
    """A text of the base, and its replacement in the tree.

    Attributes:
        new: a text with the fields of ``old``, or a pattern that matches the new text.
    """

    old: str
    new: str | re.Pattern[bytes]
    reason: str

    def apply(self, base: bytes, tree: bytes) -> bytes:
        """Return the base's bytes with the old text replaced by the tree's, if the tree contains the new text."""
        literal, pattern = _compiled(self.old)
        if literal not in base:
            return base
        at = 0

        def reworded(found: re.Match[bytes]) -> bytes:
            nonlocal at
            if isinstance(self.new, str):
                return _filled(self.new, found)
            said = self.new.search(tree, at)
            at = at if said is None else said.end()
            return found[0] if said is None else said[0]

        return pattern.sub(reworded, base)


@cache
def _compiled(text: str) -> tuple[bytes, re.Pattern[bytes]]:
    """Return the longest literal part of a text, for a fast search, and the pattern of the text."""
    parts = _FIELD.split(text)
    literal = max((_escaped(part).encode() for part in parts[::2]), key=len)
    known = set[str]()
    for place in range(1, len(parts), 2):
        name = parts[place]
        parts[place] = f"(?P={name})" if name in known else f"(?P<{name}>{_TEXT.decode()}*?)"
        known.add(name)
    parts[::2] = [re.escape(_escaped(part)) for part in parts[::2]]
    return literal, re.compile("".join(parts).encode())


def _filled(text: str, found: re.Match[bytes]) -> bytes:
    parts = _FIELD.split(text)
    return b"".join(found[part] if place % 2 else _escaped(part).encode() for place, part in enumerate(parts))


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


_HINT = rb"(?: \(did you mean " + _TEXT + rb"+?\?\))?"
_MISSING_TABLE = re.compile(
    rb"table " + _TEXT + rb"+? is not registered" + _HINT
    + rb"|the table has no branch " + _TEXT + rb"+|no table has the id " + _TEXT + rb"+"
)  # fmt: skip
_MISSING_NAMESPACE = re.compile(rb"namespace " + _TEXT + rb"+? does not exist: no table is registered in it")
_MISSING_DATABASE = re.compile(rb"database " + _TEXT + rb"+? does not exist: no Paimon table is registered in it")
_MISSING_TAG = re.compile(rb"the table has no tag " + _TEXT + rb"+")
_MISSING_SNAPSHOT = re.compile(rb"the table has no snapshot or tag " + _TEXT + rb"+")
_NAMED = "names what is missing"
_PLAIN = "plainer words"

MEANT: tuple[Rewording, ...] = (
    Rewording("no table of that name is registered", _MISSING_TABLE, "names the table, and visible ones like it"),
    Rewording("no table is registered in that namespace", _MISSING_NAMESPACE, _NAMED),
    Rewording("no Paimon table is registered in that database", _MISSING_DATABASE, _NAMED),
    Rewording("the table has no tag of that name", _MISSING_TAG, _NAMED),
    Rewording("the table has no such snapshot", _MISSING_SNAPSHOT, _NAMED),
    Rewording("its statistics leave room for such a value", "its statistics do not exclude such a value", _PLAIN),
    Rewording("values lie between", "values are between", _PLAIN),
    Rewording("the least value is {value} or more", "every value is at least {value}", _PLAIN),
    Rewording("the greatest value is {value} or less", "every value is at most {value}", _PLAIN),
    Rewording("may hold such rows", "may contain such rows", _PLAIN),
    Rewording("holds no such row", "contains no such row", _PLAIN),
    Rewording("hold no such row", "contain no such row", _PLAIN),
    Rewording("not of level 1 or above: not compacted yet", "on level 0: not compacted yet", _PLAIN),
    Rewording("no statistics of this column are recorded", "no statistics are recorded for this column", _PLAIN),
    Rewording("no snapshot of that time", "no snapshot is known for that time", _PLAIN),
    Rewording("split_open_file_cost go with splits", "split_open_file_cost require splits", _PLAIN),
    Rewording(": of Paimon tables only", ": only for Paimon tables", _PLAIN),
    Rewording(
        " is of the table, not of a snapshot: leave snapshot and as_of out; ref may name a branch",
        " describes the table, not a snapshot: omit snapshot and as_of; ref may name a branch",
        _PLAIN,
    ),
    Rewording("there are no views here", "this catalog has no views", _PLAIN),
    Rewording("there are no functions here", "this catalog has no functions", _PLAIN),
    Rewording(
        "not a plan of this table that this server made for you, or its snapshot is gone: plan again",
        "unknown plan or plan task: it is not valid for this table and caller, or its snapshot has expired; plan again",
        _PLAIN,
    ),
    Rewording(
        "this catalog is for reading: it changes no {what}",
        "this catalog is read-only: it does not change {what}",
        _PLAIN,
    ),
    Rewording(
        "this server issues no tokens: configure the catalog with a bearer token (property token) that its operator "
        "gave you, and with no credential",
        "this server does not issue tokens: set the catalog property token to a bearer token from the operator, and "
        "omit the property credential",
        _PLAIN,
    ),
    Rewording(
        "this catalog vends no credentials: leave data-token.enabled off, and give the client its own for the files",
        "this catalog does not vend credentials: leave data-token.enabled off, and configure the client with its own",
        _PLAIN,
    ),
    Rewording(
        "this server has one warehouse, {name}: name it, or leave it out",
        "the warehouse of this server's own tables is {name}: use that name, or omit it",
        _PLAIN,
    ),
    Rewording("this can be had as", "available media types:", _PLAIN),
    Rewording("unknown parameter", "unknown query parameter", "tells it from a path's"),
    Rewording("ref and as_of exclude each other", "ref and as_of are mutually exclusive", _PLAIN),
    Rewording("a snapshot's id is an integer of 64 bits", "a snapshot id must be a 64-bit integer", _PLAIN),
    Rewording(
        "the body is JSON: send Content-Type: application/json",
        "the request body must be JSON: send Content-Type: application/json",
        _PLAIN,
    ),
    Rewording(
        "pages of other origins may not change anything here",
        "requests from this origin are not allowed; see the setting CORS_ORIGINS",
        _PLAIN,
    ),
    Rewording("this server does not answer to that Host", "the Host header does not name this server", _PLAIN),
    Rewording("{method} is not allowed here", "{method} is not allowed for this path", _PLAIN),
    Rewording("{name} is not looked through", "{name}() cannot prune", _PLAIN),
    Rewording("there is no column '{name}'", "column '{name}' not found", _PLAIN),
    Rewording("this token is not known here", "unknown token", _PLAIN),
    Rewording(
        "this page token is not one of ours for this list: repeat the request that gave it, unchanged",
        "invalid page token for this list: repeat the request that returned it, unchanged",
        _PLAIN,
    ),
    Rewording("a constant alone is no condition", "a constant alone is not a condition", _PLAIN),
    Rewording("'{name}' is no expression", "'{name}' is not an expression", _PLAIN),
    Rewording("'{name}' is no transform that we know", "unknown transform '{name}'", _PLAIN),
    Rewording(
        "'{name}' is no transform of type {type} that we know", "unknown transform '{name}' of type {type}", _PLAIN
    ),
    Rewording("no branch or tag '{name}'", "the table has no branch or tag '{name}'", _PLAIN),
    Rewording("no system table {name}; there are {known}", "unknown system table {name}; known: {known}", _PLAIN),
    Rewording("only Paimon's have system tables", "only Paimon tables have system tables", _PLAIN),
    Rewording(
        "this folder is named by number and identifier, as a catalog names metadata files, and has no "
        "version-hint.text: the catalog knows which file is current, the folder does not; the highest number is served",
        "the metadata files have names that catalogs give, and there is no version-hint.text: only the catalog knows "
        "which file is current; the one with the highest version is served",
        _PLAIN,
    ),
    Rewording(
        "changelog files are no part of a plan: a filter does not reach them",
        "a filter cannot be applied to changelog files",
        _PLAIN,
    ),
    Rewording("no snapshot 1234567", "snapshot 1234567 does not exist", _PLAIN),
    Rewording("not all of the filter can prune", "part of the filter cannot prune", _PLAIN),
    Rewording("no file has statistics of {column}", "no file has statistics for {column}", _PLAIN),
    Rewording("the snapshot lists no such manifest", "the snapshot has no such manifest", _PLAIN),
    Rewording("is no ancestor of snapshot", "is not an ancestor of snapshot", _PLAIN),
    Rewording(
        "{column} is no key, and rows of a commit are merged with others",
        "{column} is not a key column, and the rows of a commit are merged with other rows",
        _PLAIN,
    ),
    Rewording("no file has a count of {column}'s NaN values", "no file has a NaN count for {column}", _PLAIN),
    Rewording("no partition field is {transform} of", "no partition field applies {transform} to", _PLAIN),
    Rewording("the filter holds for no row at all", "the filter matches no row", _PLAIN),
    Rewording("a table of the name {name} is registered already", "table {name} is already registered", _PLAIN),
)


def reworded(
    base: Answer, tree: Answer, entries: Sequence[Rewording] = MEANT
) -> tuple[Answer, Answer, tuple[Rewording, ...]]:
    """Return both responses, the base's with new texts, and the entries that were used.

    If an entry was used, ``Content-Length`` and the ETag, which depend on the text, are removed from both.
    """
    plain = base.body, tree.body
    if base.header("content-type") == tree.header("content-type") == _ARROW:
        plain = _arrow_text(base.body), _arrow_text(tree.body)
    body, headers, used = plain[0], base.headers, list[Rewording]()
    for entry in entries:
        changed = entry.apply(body, plain[1])
        stale = tuple((name, _header(entry, name, value)) for name, value in headers)
        if changed != body or stale != headers:
            used.append(entry)
        body, headers = changed, stale
    if not used:
        return base, tree, ()
    return (
        replace(base, body=body, headers=_kept(headers)),
        replace(tree, body=plain[1], headers=_kept(tree.headers)),
        tuple(used),
    )


def without_length(method: str, answer: Answer) -> Answer:
    """Return the response; for a failed HEAD request without ``Content-Length``, since error texts may be reworded."""
    if method != "HEAD" or answer.status < 400:
        return answer
    return replace(answer, headers=tuple(pair for pair in answer.headers if pair[0] != "content-length"))


def _header(entry: Rewording, name: str, value: str) -> str:
    if name != "lakemuster-stale" or not isinstance(entry.new, str):
        return value
    return entry.apply(value.encode("latin-1"), b"").decode("latin-1")


def _kept(headers: Pairs) -> Pairs:
    return tuple(pair for pair in headers if pair[0] not in ("content-length", "etag"))


def _arrow_text(body: bytes) -> bytes:
    """Return the parts of an Arrow stream, which do not depend on the length of a text; the body if it is malformed."""
    with suppress(pa.ArrowInvalid), pa.ipc.open_stream(body) as stream:
        parts = [stream.schema.remove_metadata().serialize().to_pybytes(), _metadata(stream.schema.metadata)]
        with suppress(StopIteration):
            while True:
                batch, metadata = stream.read_next_batch_with_custom_metadata()
                parts += [batch.serialize().to_pybytes(), _metadata(metadata)]
        return b"\n".join(parts)
    return body


def _metadata(found: pa.KeyValueMetadata | dict[bytes, bytes] | None) -> bytes:
    return b"\n".join(b"%s=%s" % pair for pair in sorted(dict(found or {}).items()))
