"""Partitions that rules have told to be ready, each once.

The first row of a table and rule is a mark: partitions that were ready when the rule was first evaluated are stored,
and not told.
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
        values: of the partition's fields, by name, as in JSON.
        figures: what else is told: records and files, the end of its time, the snapshot.
    """

    rule: str
    values: Mapping[str, object]
    figures: Mapping[str, object]

    @property
    def key(self) -> bytes:
        """Equal for equal values."""
        return key_of(self.values)


def key_of(values: Mapping[str, object]) -> bytes:
    """Return a digest of a partition's values; equal for equal ones."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).digest()


def told_keys(session: Session, table_id: int) -> dict[str, set[bytes]]:
    """Return the keys of the partitions that are ready, by rule; of every rule that was evaluated before."""
    found: dict[str, set[bytes]] = {}
    chosen = select(ReadyPartitionRow.rule, ReadyPartitionRow.key).where(ReadyPartitionRow.table_id == table_id)
    for rule, key in session.execute(chosen):
        found.setdefault(rule, set()).add(bytes(key))
    return {rule: keys - {_MARK} for rule, keys in found.items() if _MARK in keys}


def tell_ready(
    session: Session,
    table_id: int,
    snapshot_id: int | None,
    rules: Sequence[str],
    ready: Sequence[ReadyPartition],
) -> list[ReadyPartition] | None:
    """Store partitions that are ready and tell each that was not stored before, in one transaction.

    Args:
        snapshot_id: the table's current snapshot, in which they are ready.
        rules: all rules that were evaluated.

    Returns:
        those that were told; None: the table is gone, or has another current snapshot, and nothing was stored.
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
    """Insert the rows that are new, and return their rules and keys."""
    found: list[tuple[str, bytes]] = []
    for some in chunks(rows):
        ids = insert_new_returning(session, ReadyPartitionRow.id, some)
        chosen = select(ReadyPartitionRow.rule, ReadyPartitionRow.key).where(ReadyPartitionRow.id.in_(ids))
        found += [(rule, bytes(key)) for rule, key in session.execute(chosen)]
    return found


def _row(table_id: int, rule: str, key: bytes, document: Mapping[str, object], now_ms: int) -> dict[str, object]:
    return {"table_id": table_id, "rule": rule, "key": key, "document": encode(dict(document)), "ready_at_ms": now_ms}


def forget(session: Session, table_id: int, snapshot_id: int | None, keys: Collection[bytes]) -> None:
    """Forget that partitions were ready: they are told again when they are.

    Args:
        snapshot_id: the table's current snapshot, which does not have them; if it is another one now, nothing is
            forgotten: it may have them again, told by another process.
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
    """Forget all of a table, which has become another one."""
    chosen = delete(ReadyPartitionRow).where(ReadyPartitionRow.table_id == table_id)
    session.execute(chosen.execution_options(synchronize_session=False))


@dataclass(frozen=True, slots=True)
class StoredPartition:
    """A partition that was stored as ready.

    Attributes:
        document: ``partition`` and the figures that were told.
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
