"""The stored health of tables: the status of each component with its start time, and a daily history of one year.

A change of a status is recorded as the event ``health.changed``, in the transaction that stores it. All transactions
that store a table's health lock the table's row first, so if two compute the same change, the second changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, delete, func, select, text, update
from sqlalchemy.orm import Session

from lakemuster.index.database import NowMs, current_ms
from lakemuster.index.encoding import decode, encode
from lakemuster.index.events import NewEvent, record
from lakemuster.index.orm import REGISTERED, HealthDayRow, HealthRow, SnapshotRow, TableRow
from lakemuster.index.statements import chunks, insert_all
from lakemuster.index.table_lists import TableChoice, conditions
from lakemuster.metadata.health import (
    RANKS,
    STATUSES,
    Change,
    Component,
    Gain,
    Limits,
    Measured,
    Status,
    changes,
    judge,
    worst,
)
from lakemuster.table_settings import THRESHOLDS, HealthRules, Threshold

DAY_MS = 86_400_000
HISTORY_DAYS = 366
LONGEST_PAUSE_MS = 3_600_000
"""Maximum time until the health of an unchanged table is computed again."""


@dataclass(frozen=True, slots=True)
class StoredHealth:
    """The components of one table, in the order of ``THRESHOLDS``.

    Attributes:
        computed_at_ms: the time of each component's computation, by name.
    """

    components: tuple[Component, ...]
    computed_at_ms: Mapping[str, int]

    @property
    def status(self) -> Status | None:
        """The worst status; None if nothing was computed yet."""
        return worst(one.status for one in self.components) if self.components else None


NO_HEALTH = StoredHealth((), {})


@dataclass(frozen=True, slots=True)
class HealthSummary:
    """The statuses of one table's components.

    Attributes:
        statuses: the statuses that are not ``ok``, by component.
        since_ms: the start of the worst status; the earliest start if several components have it.
        computed_at_ms: the earliest time at which one of the components was computed.
    """

    statuses: Mapping[str, Status]
    since_ms: int
    computed_at_ms: int

    def named(self, status: Status) -> list[str]:
        """Return the components that have a status, in the order of ``THRESHOLDS``."""
        return [name for name in THRESHOLDS if self.statuses.get(name) == status]


@dataclass(frozen=True, slots=True)
class HealthDay:
    """A table's health at the end of a day; for today, the current one.

    Attributes:
        day: days since 1970-01-01 UTC.
        components: status and value by component.
    """

    day: int
    components: Mapping[str, tuple[Status, float | None]]


@dataclass(frozen=True, slots=True)
class MetadataState:
    """Identifies a state of a table: health is stored only if the table still has the state that was measured."""

    metadata_location: str | None
    current_snapshot_id: int | None


_UPDATE = update(HealthRow).where(HealthRow.table_id == bindparam("of"), HealthRow.component == bindparam("named"))


def load_health(session: Session, table_id: int) -> StoredHealth:
    """Return the health of a table."""
    return load_many(session, [table_id]).get(table_id, NO_HEALTH)


def load_many(session: Session, table_ids: Sequence[int]) -> dict[int, StoredHealth]:
    """Return the health of tables by id; tables without stored health are omitted."""
    found: dict[int, list[Any]] = {}
    columns = (HealthRow.table_id, HealthRow.component, HealthRow.status, HealthRow.since_ms, HealthRow.computed_at_ms)
    for chunk in chunks(table_ids):
        rows = session.execute(select(*columns, HealthRow.document).where(HealthRow.table_id.in_(chunk)))
        for row in rows:
            found.setdefault(row.table_id, []).append(row)
    order = list(THRESHOLDS)
    stored = {}
    for table_id, some in found.items():
        known = sorted((one for one in some if one.component in order), key=lambda one: order.index(one.component))
        stored[table_id] = StoredHealth(
            tuple(_component(one) for one in known), {one.component: one.computed_at_ms for one in known}
        )
    return stored


def load_summaries(session: Session, table_ids: Sequence[int]) -> dict[int, HealthSummary]:
    """Return the health summaries of tables by id; tables without stored health are omitted."""
    found: dict[int, HealthSummary] = {}
    since, computed = func.min(HealthRow.since_ms), func.min(HealthRow.computed_at_ms)
    for chunk in chunks(table_ids):
        own = HealthRow.table_id.in_(chunk)
        ill: dict[int, dict[str, Status]] = {}
        began: dict[int, tuple[int, int]] = {}
        for table_id, name, rank, since_ms in session.execute(
            select(HealthRow.table_id, HealthRow.component, HealthRow.status, HealthRow.since_ms).where(
                own, HealthRow.status > 0
            )
        ):
            ill.setdefault(table_id, {})[name] = STATUSES[rank]
            # The worst status; of equal ones, the earliest.
            began[table_id] = max(began.get(table_id, (-1, 0)), (rank, -since_ms))
        # If all components are ``ok``, the earliest time is that of this status.
        for table_id, since_ms, at_ms in session.execute(
            select(HealthRow.table_id, since, computed).where(own).group_by(HealthRow.table_id)
        ):
            at = -began[table_id][1] if table_id in began else since_ms
            found[table_id] = HealthSummary(ill.get(table_id, {}), at, at_ms)
    return found


def store_health(
    session: Session,
    table_id: int,
    state: MetadataState,
    measured: Iterable[Measured],
    rules: HealthRules,
    now_ms: int,
    *,
    whole: bool,
    due_at_ms: int | None = None,
) -> list[Change] | None:
    """Store the measured health of a table, and record changes of statuses as an event.

    Args:
        state: the state of the table that was measured.
        whole: whether all components were measured. If so, delete stored components that ``measured`` lacks;
            otherwise leave them unchanged.
        due_at_ms: when to compute it again; None to leave the due time unchanged.

    Returns:
        The changes; None, with nothing stored, if the table has another state now or was removed.
    """
    row = session.execute(
        select(
            TableRow.name,
            TableRow.metadata_location,
            TableRow.current_snapshot_id,
            TableRow.companion_of,
            TableRow.health,
        )
        .where(TableRow.id == table_id)
        .with_for_update()
    ).one_or_none()
    if row is None or MetadataState(row.metadata_location, row.current_snapshot_id) != state:
        return None
    before = load_health(session, table_id)
    old = {one.name: one for one in before.components}
    new = {one.name: _judged(one, rules, old.get(one.name), now_ms) for one in measured}
    now = new if whole else old | new
    found = changes(before.components, now.values())
    _write(session, table_id, before, new, set(old) - set(now), now_ms)
    status = worst(one.status for one in now.values())
    values = {} if row.health == RANKS[status] else {"health": RANKS[status]}
    if due_at_ms is not None:
        values["health_due_at_ms"] = due_at_ms
    if values:
        session.execute(
            update(TableRow).where(TableRow.id == table_id).values(values).execution_options(synchronize_session=False)
        )
    if whole:
        _write_day(session, table_id, now.values(), now_ms)
    if found and row.companion_of is None:
        record(session, [_event(row.name, found, now, before.status, status)])
    return found


def due_tables(session: Session, now_ms: int, limit: int) -> list[int]:
    """Return the ids of registered tables whose health is due, the longest overdue first.

    A time beyond the longest pause is due, too: the database's clock has stepped back since.
    """
    found = _due(session, TableRow.health_due_at_ms <= now_ms, limit)
    if len(found) < limit:
        found += _due(session, TableRow.health_due_at_ms > now_ms + LONGEST_PAUSE_MS, limit - len(found))
    return found


def _due(session: Session, condition: ColumnElement[bool], limit: int) -> list[int]:
    query = (
        select(TableRow.id)
        .where(condition, text(REGISTERED[session.get_bind().dialect.name]))
        .order_by(TableRow.health_due_at_ms, TableRow.id)
        .limit(limit)
    )
    return list(session.scalars(query))


def is_due(session: Session, table_id: int) -> bool:
    """Return whether a table's health is due to be computed again."""
    due = session.scalar(select(TableRow.health_due_at_ms).where(TableRow.id == table_id))
    return due is not None and _is_past(due, current_ms(session))


def _is_past(due_at_ms: int, now_ms: int) -> bool:
    return not now_ms < due_at_ms <= now_ms + LONGEST_PAUSE_MS


def files_if_due(session: Session, table_id: int) -> int | None:
    """Return the number of live files of a table whose health is due; None if it is not due, or they are unknown."""
    row = session.execute(
        select(TableRow.health_due_at_ms, TableRow.data_files, TableRow.delete_files).where(TableRow.id == table_id)
    ).one_or_none()
    if row is None or row.health_due_at_ms is None or not _is_past(row.health_due_at_ms, current_ms(session)):
        return None
    return None if row.data_files is None else row.data_files + (row.delete_files or 0)


class PublishedTable(NamedTuple):
    """The inputs of health at a commit: a table's name, location and quarantined snapshots, and the database's time."""

    name: str
    location: str
    now_ms: int
    quarantined: int


def published_table(session: Session, table_id: int) -> PublishedTable | None:
    """Return the inputs of health at a commit, in one statement; None if the table was removed, or is a companion."""
    quarantined = select(func.count()).where(SnapshotRow.table_id == table_id, SnapshotRow.state == "quarantined")
    row = session.execute(
        select(TableRow.name, TableRow.location, NowMs(), quarantined.scalar_subquery()).where(
            TableRow.id == table_id, TableRow.companion_of.is_(None)
        )
    ).one_or_none()
    return None if row is None else PublishedTable(*row)


def postpone(session: Session, table_ids: Collection[int], due_at_ms: int | None) -> None:
    """Set when to compute the health of tables again after a failure; None to wait until they change."""
    for chunk in chunks(list(table_ids)):
        session.execute(
            update(TableRow)
            .where(TableRow.id.in_(chunk))
            .values(health_due_at_ms=due_at_ms)
            .execution_options(synchronize_session=False)
        )


def history(session: Session, table_id: int, days: int, now_ms: int) -> list[HealthDay]:
    """Return the health of a table by day, oldest first, for the last ``days`` days including today."""
    first = now_ms // DAY_MS - days + 1
    rows = session.execute(
        select(HealthDayRow.day, HealthDayRow.document)
        .where(HealthDayRow.table_id == table_id, HealthDayRow.day >= first)
        .order_by(HealthDayRow.day)
    )
    return [
        HealthDay(row.day, {name: (STATUSES[rank], value) for name, (rank, value) in decode(row.document).items()})
        for row in rows
    ]


def prune_history(session: Session, now_ms: int, limit: int) -> int:
    """Delete at most ``limit`` rows that are more than a year old; return their number."""
    old = select(HealthDayRow.id).where(HealthDayRow.day <= now_ms // DAY_MS - HISTORY_DAYS).limit(limit)
    ids = list(session.scalars(old))
    for chunk in chunks(ids):
        session.execute(delete(HealthDayRow).where(HealthDayRow.id.in_(chunk)))
    return len(ids)


def count_components(session: Session, choice: TableChoice) -> dict[str, dict[Status, int]]:
    """Return the numbers of chosen tables by component and status."""
    query = select(HealthRow.component, HealthRow.status, func.count()).group_by(HealthRow.component, HealthRow.status)
    if choice != TableChoice():
        query = query.join(TableRow, TableRow.id == HealthRow.table_id).where(*conditions(session, choice))
    found: dict[str, dict[Status, int]] = {name: dict.fromkeys(STATUSES, 0) for name in THRESHOLDS}
    for component, rank, number in session.execute(query):
        if component in found:
            found[component][STATUSES[rank]] = number
    return found


def count_statuses(session: Session, choice: TableChoice) -> dict[Status | None, int]:
    """Return the numbers of chosen tables by health status; None stands for health that is not computed yet."""
    query = select(TableRow.health, func.count()).where(*conditions(session, choice)).group_by(TableRow.health)
    return {None if rank is None else STATUSES[rank]: number for rank, number in session.execute(query)}


def _judged(measured: Measured, rules: HealthRules, before: Component | None, now_ms: int) -> Component:
    status = judge(measured, rules, None if before is None else before.status)
    since_ms = before.since_ms if before is not None and before.status == status else now_ms
    return Component(measured, rules.thresholds[measured.name], status, since_ms)


def _write(
    session: Session,
    table_id: int,
    before: StoredHealth,
    now: Mapping[str, Component],
    gone: set[str],
    now_ms: int,
) -> None:
    known = {one.name: one for one in before.components}
    if gone:
        session.execute(delete(HealthRow).where(HealthRow.table_id == table_id, HealthRow.component.in_(gone)))
    rows = {
        name: {
            "table_id": table_id,
            "component": name,
            "status": RANKS[one.status],
            "since_ms": one.since_ms,
            "computed_at_ms": now_ms,
            "document": encode(_document(one)),
        }
        for name, one in now.items()
    }
    insert_all(session, HealthRow, [row for name, row in rows.items() if name not in known])
    if changed := [{"of": table_id, "named": name, **row} for name, row in rows.items() if name in known]:
        session.connection().execute(_UPDATE, changed)


def _write_day(session: Session, table_id: int, components: Iterable[Component], now_ms: int) -> None:
    day = now_ms // DAY_MS
    document = encode({one.name: (RANKS[one.status], one.measured.value) for one in components})
    changed = session.execute(
        update(HealthDayRow)
        .where(HealthDayRow.table_id == table_id, HealthDayRow.day == day)
        .values(document=document)
        .returning(HealthDayRow.id)
        .execution_options(synchronize_session=False)
    ).scalar()
    if changed is None:
        insert_all(session, HealthDayRow, [{"table_id": table_id, "day": day, "document": document}])


def _event(
    name: str,
    found: Sequence[Change],
    now: Mapping[str, Component],
    previous: Status | None,
    status: Status,
) -> NewEvent:
    told = []
    for one in found:
        component = now.get(one.component)
        told.append({**asdict(one), "value": None if component is None else component.measured.value})
    return NewEvent("health.changed", name, {"health": status, "previous": previous, "changes": told})


def _document(one: Component) -> dict[str, object]:
    """Return the values that have no column of their own, without those that are None."""
    measured = {name: value for name, value in asdict(one.measured).items() if value is not None and name != "name"}
    return {"measured": measured, "threshold": (one.threshold.warning, one.threshold.critical)}


def _component(row: Any) -> Component:
    document = decode(row.document)
    values = document["measured"]
    gain = values.get("gain")
    if gain is not None:
        kinds = {name: None if limits is None else Limits(**limits) for name, limits in gain.items()}
        values = {**values, "gain": Gain(**kinds)}
    measured = replace(Measured(row.component, None, ""), **values)
    return Component(measured, Threshold(*document["threshold"]), STATUSES[row.status], row.since_ms)
