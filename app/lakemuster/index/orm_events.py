"""ORM classes of the event log, of its webhooks, and of partitions that were reported as ready."""

from __future__ import annotations

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from lakemuster.index.orm_base import Base, Document, Int64, RowId, String, TableId


class EventSequenceRow(Base):
    """The largest id of an event ever written. ``id`` is 1."""

    __tablename__ = "event_sequence"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    last: Mapped[Int64]


class EventRow(Base):
    """One event of the log, see ``events``. Never updated; the oldest are deleted."""

    __tablename__ = "event"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    type: Mapped[String]
    table_name: Mapped[String]
    at_ms: Mapped[Int64]
    document: Mapped[Document]


class WebhookRow(Base):
    """The position of a webhook in the event log, with its statistics; see ``webhooks.Cursor``."""

    __tablename__ = "webhook"
    name: Mapped[String] = mapped_column(primary_key=True)
    position: Mapped[Int64]
    tries: Mapped[Int64]
    failures: Mapped[Int64]
    next_at_ms: Mapped[Int64 | None]
    tried_at_ms: Mapped[Int64 | None]
    succeeded_at_ms: Mapped[Int64 | None]
    status: Mapped[Int64 | None]
    error: Mapped[String | None]
    delivered: Mapped[Int64]


class DeadLetterRow(Base):
    """A message that a webhook's receiver did not accept; see ``webhooks.DeadLetter``."""

    __tablename__ = "dead_letter"
    __table_args__ = (Index("ix_dead_letter_webhook", "webhook", "id"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    webhook: Mapped[String]
    message_id: Mapped[String]
    event_id: Mapped[Int64]
    type: Mapped[String]
    subject: Mapped[String | None]
    body: Mapped[Document]
    tries: Mapped[Int64]
    died_at_ms: Mapped[Int64]
    status: Mapped[Int64 | None]
    error: Mapped[String | None]
    is_requested: Mapped[bool]


class ReadyPartitionRow(Base):
    """A partition that was reported as ready. ``key`` is a digest of its values, ``document`` the reported data."""

    __tablename__ = "ready_partition"
    __table_args__ = (UniqueConstraint("table_id", "rule", "key"), {"sqlite_autoincrement": True})
    id: Mapped[RowId]
    table_id: Mapped[TableId]
    rule: Mapped[String]
    key: Mapped[Document]
    document: Mapped[Document]
    ready_at_ms: Mapped[Int64]
