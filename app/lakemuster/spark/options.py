"""Parse the options of ``spark.read.format("lakemuster")``; Spark passes strings, with names in any case."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from lakemuster.client import Client
from lakemuster.client.choices import Choice
from lakemuster.client.tokens import Token, TokenFile
from lakemuster.spark.errors import OptionInvalid

SPLIT_TARGET_SIZE = 128 * 2**20
SPLIT_OPEN_FILE_COST = 4 * 2**20
"""Bytes; the defaults of Iceberg and Paimon."""
TASK_THRESHOLD = 10_000
_NAN_MODES = ("greatest", "unordered", "any", "none")

RESTART_RETRIES = 8
"""Half a minute if no connection is accepted."""
FIRST_RETRIES = 4
"""Three seconds: the address may be wrong."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one ``load``. Pickled to executors: it names the token's variable or file, never the token.

    Attributes:
        uri: the server's address.
        table: its dotted name, from ``load(...)`` (Spark calls that option ``path``).
        token_env: the environment variable, on driver and executors, that holds the bearer token.
        token_file: the file, on driver and executors, that holds it instead, and is read before each request.
        filter: SQL that rows must match.
        nan: what comparisons with NaN mean to the server, which chooses the files; Spark's own meaning is ``greatest``.
        columns: the top-level columns to read; all when None. Spark prunes no columns of a Python data source.
        metadata_columns: metadata columns to add after the columns: Iceberg's ``_file``, ``_pos``, ``_spec_id``.
        snapshot_id, ref, as_of: which snapshot, at most one of the three.
        limit: enough rows: the plan ends once its files are known to hold this many.
        split_target_size, split_open_file_cost: bytes that a task reads, and the minimum weight of a file. Larger
            Parquet files are read in pieces of whole row groups, unless they must be merged with others.
        task_threshold: with more files than this, executors request their own parts of the plan from the server.
        pushdown: filters of ``where`` prune files too. ``register`` makes it the default on Spark versions that plan
            each use of a frame separately (see ``pushdown_probe``). Spark 4.1 to 4.3 read every use with the plan of
            the filter pushed last (see ``reader``): there, set it only for a frame with a single filter.
        start: for streams: ``full`` for the existing rows and then appends; ``latest`` for appends only.
        start_snapshot_id: for streams: start with the appends after that snapshot.
        skip_overwrites, skip_deletes: for streams: skip snapshots that replace or remove rows.
    """

    uri: str
    table: str
    token_env: str | None = None
    token_file: str | None = None
    filter: str | None = None
    nan: str = "greatest"
    columns: tuple[str, ...] | None = None
    metadata_columns: tuple[str, ...] = ()
    snapshot_id: int | None = None
    ref: str | None = None
    as_of: str | None = None
    limit: int | None = None
    split_target_size: int = SPLIT_TARGET_SIZE
    split_open_file_cost: int = SPLIT_OPEN_FILE_COST
    task_threshold: int = TASK_THRESHOLD
    pushdown: bool = False
    start: str = "full"
    start_snapshot_id: int | None = None
    skip_overwrites: bool = False
    skip_deletes: bool = False

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Options:
        """Parse the options that Spark passes.

        Raises:
            OptionInvalid: an unknown or missing option, an invalid value, or two options that exclude each other.
        """
        values = {name.lower(): text for name, text in given.items()}
        _check_names(values)
        read = {_FIELDS.get(name, name): _READ[name](name, text) for name, text in values.items()}
        for field, name, example in (("uri", "uri", "http://127.0.0.1:8181"), ("table", "path", "shop.orders")):
            if field not in read:
                how = f'.option("uri", "{example}")' if name == "uri" else f'.load("{example}")'
                session = ' or spark.conf.set("lakemuster.uri", …) before register' if name == "uri" else ""
                raise OptionInvalid(name, f"is needed: {how}{session}")
        chosen = [name for name in ("snapshot_id", "ref", "as_of") if name in read]
        if len(chosen) > 1:
            raise OptionInvalid(chosen[1], f"and {chosen[0]} exclude each other")
        if "start" in read and "start_snapshot_id" in read:
            raise OptionInvalid("start", "and start_snapshot_id exclude each other")
        return cls(**read)

    def check_batch(self) -> None:
        """Check that no option is given that only streams follow.

        Raises:
            OptionInvalid: one is: rows would be returned that it excludes.
        """
        for name, is_given in (
            ("start", self.start != "full"),
            ("start_snapshot_id", self.start_snapshot_id is not None),
        ):
            if is_given:
                raise OptionInvalid(name, "is of streams (readStream): a batch reads all rows of one snapshot")

    @property
    def choice(self) -> Choice:
        """The requested snapshot."""
        return {"snapshot_id": self.snapshot_id, "ref": self.ref, "as_of": self.as_of}

    @property
    def skipped(self) -> frozenset[str]:
        """Operations that a stream skips."""
        named = {"overwrite": self.skip_overwrites, "delete": self.skip_deletes}
        return frozenset(operation for operation, is_skipped in named.items() if is_skipped)

    def client(self, retries: int = RESTART_RETRIES) -> Client:
        """Return a client of the server, with the token from this process's environment or from a file.

        Args:
            retries: see :class:`Client`; by default, so many that queries and streams outlast a restart of the server.

        Raises:
            OptionInvalid: the address is invalid, or the variable is not set in this process.
        """
        token = token_of(self.token_env, self.token_file)
        try:
            return Client(self.uri, token, retries=retries)
        except ValueError as cause:
            raise OptionInvalid("uri", f"is {cause}") from cause


def token_of(variable: str | None, file: str | None) -> Token | None:
    """Return the bearer token in an environment variable or in a file; None when neither is named.

    Raises:
        OptionInvalid: both are named, or the variable is not set in this process.
    """
    if variable is None:
        return None if file is None else TokenFile(file)
    if file is not None:
        raise OptionInvalid("token_file", "and token_env exclude each other")
    if not (token := os.environ.get(variable)):
        raise OptionInvalid("token_env", f"{variable} is not set in this process, {_WHERE}")
    return token


_WHERE = "a Python worker of Spark: it has the environment of the driver's JVM, or of the executor (spark.executorEnv)"


def _text(name: str, text: str) -> str:
    if not text.strip():
        raise OptionInvalid(name, "is empty")
    return text


def _integer(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise OptionInvalid(name, f"is a whole number, not {text!r:.60}") from None


def _positive(name: str, text: str) -> int:
    if (number := _integer(name, text)) < 1:
        raise OptionInvalid(name, f"is at least 1, not {number}")
    return number


def _count(name: str, text: str) -> int:
    if (number := _integer(name, text)) < 0:
        raise OptionInvalid(name, f"is not negative: {number}")
    return number


def _start(name: str, text: str) -> str:
    if text.lower() not in ("full", "latest"):
        raise OptionInvalid(name, f"is full or latest, not {text!r:.60}")
    return text.lower()


def _nan(name: str, text: str) -> str:
    if text.lower() not in _NAN_MODES:
        raise OptionInvalid(name, f"is one of {', '.join(_NAN_MODES)}, not {text!r:.60}")
    return text.lower()


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise OptionInvalid(name, f"is true or false, not {text!r:.60}")
    return text.lower() == "true"


def _names(name: str, text: str) -> tuple[str, ...]:
    found: Any = [part.strip() for part in text.split(",")]
    if text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except ValueError:
            found = None
    if not isinstance(found, list) or not found or not all(isinstance(one, str) and one for one in found):
        raise OptionInvalid(name, f"is names with commas between, or a JSON list of them, not {text!r:.60}")
    if len(set(found)) < len(found):
        raise OptionInvalid(name, f"names a column twice: {text!r:.200}")
    return tuple(found)


def _refused_token(name: str, text: str) -> NoReturn:
    del text
    raise OptionInvalid(name, "would be written to plans and logs: token_env or token_file say where it is")


_READ: Mapping[str, Callable[[str, str], Any]] = {
    "uri": _text,
    "path": _text,
    "token": _refused_token,
    "token_env": _text,
    "token_file": _text,
    "filter": _text,
    "nan": _nan,
    "columns": _names,
    "metadata_columns": _names,
    "snapshot_id": _integer,
    "ref": _text,
    "as_of": _text,
    "limit": _positive,
    "split_target_size": _positive,
    "split_open_file_cost": _positive,
    "task_threshold": _count,
    "pushdown": _flag,
    "start": _start,
    "start_snapshot_id": _integer,
    "skip_overwrites": _flag,
    "skip_deletes": _flag,
}
_FIELDS = {"path": "table"}


def _check_names(values: Mapping[str, str]) -> None:
    if "paths" in values:
        raise OptionInvalid("path", "is one table: a data source reads one at a time")
    if "location" in values:
        # Spark's catalog stores tables of Python data sources without their options: the table could never be read.
        raise OptionInvalid("location", "is of CREATE TABLE, which loses all others: create a temporary view instead")
    unknown = sorted(values.keys() - _READ.keys())
    if unknown:
        known = ", ".join(name for name in _READ if name not in ("path", "token"))
        raise OptionInvalid(unknown[0], f"is not an option; known options: {known}")
