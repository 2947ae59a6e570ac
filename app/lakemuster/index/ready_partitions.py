"""Partitions that were reported as ready, so that each rule reports a partition once.

The first row of a table and rule is a marker of the rule's first evaluation: partitions that were ready then are
stored, but not reported.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from lakemuster.index.database import current_ms
from lakemuster.index.encoding import decode, encode
from lakemuster.index.events import NewEvent, record
from lakemuster.index.orm import TableRow
from lakemuster.index.orm_events import ReadyPartitionRow
from lakemuster.index.statements import chunks, insert_new_returning

_MARK = b""


@dataclass(frozen=True, slots=True)
class ReadyPartition:
    """A partition that is ready by a rule.

    Attributes:
        values: the values of the partition's fields, by name, as in JSON.
        figures: further reported data: records and files, the end of its time, the snapshot.
    """

    rule: str
    values: Mapping[str, object]
    figures: Mapping[str, object]

    @property
    def key(self) -> bytes:
        """A digest of the values, see :func:`key_of`."""
        return key_of(self.values)


def key_of(values: Mapping[str, object]) -> bytes:
    """Return a digest of a partition's values; equal values have equal digests."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).digest()


def reported_keys(session: Session, table_id: int) -> dict[str, set[bytes]]:
    """Return the keys of the partitions that are stored as ready, by rule, for every rule that was evaluated before."""
    found: dict[str, set[bytes]] = {}
    chosen = select(ReadyPartitionRow.rule, ReadyPartitionRow.key).where(ReadyPartitionRow.table_id == table_id)
    for rule, key in session.execute(chosen):
        found.setdefault(rule, set()).add(bytes(key))
    return {rule: keys - {_MARK} for rule, keys in found.items() if _MARK in keys}


def report_ready(
    session: Session,
    table_id: int,
    snapshot_id: int | None,
    rules: Sequence[str],
    ready: Sequence[ReadyPartition],
) -> list[ReadyPartition] | None:
    """Store partitions that are ready, and record an event for each that is new, in one transaction.

    Args:
        snapshot_id: the table's current snapshot, in which they are ready.
        rules: all rules that were evaluated.

    Returns:
        The reported partitions; None, with nothing stored, if the table is gone or has another current snapshot.
    """
    table = session.get(TableRow, table_id, with_for_update=True)
    if table is None or table.current_snapshot_id != snapshot_id:
        return None
    now_ms = current_ms(session)
    marks = [_row(table_id, rule, _MARK, {}, now_ms) for rule in rules]
    first = {row[0] for row in _insert(session, marks)}
    rows = [_row(table_id, one.rule, one.key, {"partition": one.values, **one.figures}, now_ms) for one in ready]
    new = {(rule, bytes(key)) for rule, key in _insert(session, rows)}
    told = [one for one in ready if (one.rule, one.key) in new and one.rule not in first]
    record(
        session,
        [
            NewEvent("partition.ready", table.name, {"rule": one.rule, "partition": one.values, **one.figures})
            for one in told
        ],
    )
    return told


def _insert(session: Session, rows: Sequence[Mapping[str, object]]) -> list[tuple[str, bytes]]:
    """Insert the new ones among the rows; return their rules and keys."""
    found: list[tuple[str, bytes]] = []
    for some in chunks(rows):
        ids = insert_new_returning(session, ReadyPartitionRow.id, some)
        chosen = select(ReadyPartitionRow.rule, ReadyPartitionRow.key).where(ReadyPartitionRow.id.in_(ids))
        found += [(rule, bytes(key)) for rule, key in session.execute(chosen)]
    return found


def _row(table_id: int, rule: str, key: bytes, document: Mapping[str, object], now_ms: int) -> dict[str, object]:
    return {"table_id": table_id, "rule": rule, "key": key, "document": encode(dict(document)), "ready_at_ms": now_ms}


def forget(session: Session, table_id: int, snapshot_id: int | None, keys: Collection[bytes]) -> None:
    """Delete partitions that are no longer ready, so that they are reported again when they are.

    Args:
        snapshot_id: the table's current snapshot, in which they are not ready. If the table has another one now,
            nothing is deleted: they may be ready again, and reported by another process.
    """
    table = session.get(TableRow, table_id, with_for_update=True)
    if table is None or table.current_snapshot_id != snapshot_id:
        return
    for some in chunks(sorted(keys)):
        chosen = delete(ReadyPartitionRow).where(
            ReadyPartitionRow.table_id == table_id, ReadyPartitionRow.key.in_(some)
        )
        session.execute(chosen.execution_options(synchronize_session=False))


def forget_all(session: Session, table_id: int) -> None:
    """Delete all partitions of a table, because it was replaced by another table."""
    chosen = delete(ReadyPartitionRow).where(ReadyPartitionRow.table_id == table_id)
    session.execute(chosen.execution_options(synchronize_session=False))


@dataclass(frozen=True, slots=True)
class StoredPartition:
    """A partition that was stored as ready.

    Attributes:
        document: ``partition`` and the reported figures.
    """

    number: int
    rule: str
    ready_at_ms: int
    document: Mapping[str, Any]


def list_ready(session: Session, table_id: int) -> list[StoredPartition]:
    """Return the partitions of a table that are ready, oldest first."""
    columns = (ReadyPartitionRow.id, ReadyPartitionRow.rule, ReadyPartitionRow.ready_at_ms, ReadyPartitionRow.document)
    chosen = select(*columns).where(ReadyPartitionRow.table_id == table_id, ReadyPartitionRow.key != _MARK)
    rows = session.execute(chosen.order_by(ReadyPartitionRow.id))
    return [StoredPartition(number, rule, at_ms, decode(document)) for number, rule, at_ms, document in rows]
