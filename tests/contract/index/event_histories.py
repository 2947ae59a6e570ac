"""Random histories of a table, the expected event log, and bugs to plant in the code that writes it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from sqlalchemy import event

from lakemuster.index import events, leases, reconcile, snapshots, table_events, table_metadata_store
from lakemuster.index.database import Database
from lakemuster.index.events import bounds, read_log
from lakemuster.index.snapshots import get_snapshot, quarantine
from lakemuster.index.statements import insert_all
from lakemuster.index.tables import store_metadata
from lakemuster.metadata import reachable
from lakemuster.metadata.snapshot import MAIN, Ref, Snapshot, TableMetadata
from tests.contract.index import made
from tests.planted_bugs import PlantedBugs

Fact = tuple[object, ...]
"""An expected event: its type, then the values that identify it among events of the type."""


class Failed(Exception):
    """Rolls a transaction back."""


@dataclass
class History:
    """A table in its writers' view.

    Attributes:
        heads: the snapshot id by kind and name of a branch or tag.
        told: ids of the snapshots that refs have reached.
        expected: the expected events.
    """

    database: Database
    chance: random.Random
    name: str
    parents: dict[int, int | None] = field(default_factory=lambda: {1: None})
    heads: dict[tuple[str, str], int] = field(default_factory=lambda: {("branch", MAIN): 1})
    properties: dict[str, str] = field(default_factory=dict)
    told: set[int] = field(default_factory=lambda: {1})
    quarantined: set[int] = field(default_factory=set)
    expected: list[Fact] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table_id = made.table(self.database, self.name, of=self.metadata())
        self.expected.append(("table.registered",))

    def metadata(self) -> TableMetadata:
        found = [self.snapshot(number) for number in self.parents]
        refs = tuple(Ref(name, "tag" if kind == "tag" else "branch", at) for (kind, name), at in self.heads.items())
        main = self.heads["branch", MAIN]
        return replace(made.metadata(found), refs=refs, current_snapshot_id=main, properties=dict(self.properties))

    def snapshot(self, number: int) -> Snapshot:
        return made.snapshot(number, parent_id=self.parents[number])

    def step(self) -> None:
        """Apply one random step, and store the metadata in the index."""
        steps = (self.commit, self.commit, self.roll_back, self.refer, self.drop, self.stage, self.publish_staged)
        others = (self.alter, self.look_again, self.fail, self.refuse, self.recover)
        self.chance.choice((*steps, *others))()

    def commit(self) -> None:
        branches = [key for key in self.heads if key[0] == "branch"]
        key = self.chance.choice(branches)
        for _ in range(self.chance.randint(1, 3)):
            number = max(self.parents) + 1
            self.parents[number] = self.heads[key]
            self.heads[key] = number
            self.told.add(number)
            self.expected.append(("table.committed", number))
        self.see()

    def roll_back(self) -> None:
        key, before = ("branch", MAIN), self.heads["branch", MAIN]
        parent = self.parents[before]
        if parent is not None:
            self.heads[key] = parent
            self.expected.append(("table.ref_changed", MAIN, before, parent))
            self.see()

    def refer(self) -> None:
        kind = self.chance.choice(("branch", "tag"))
        name = f"r{len(self.expected)}"
        at = self.chance.choice(sorted(self.told))
        self.heads[kind, name] = at
        self.expected.append(("table.ref_changed", name, None, at))
        self.see()

    def drop(self) -> None:
        others = [key for key in self.heads if key[1] != MAIN]
        if others:
            key = self.chance.choice(others)
            self.expected.append(("table.ref_changed", key[1], self.heads.pop(key), None))
            self.see()

    def stage(self) -> None:
        self.parents[max(self.parents) + 1] = self.heads["branch", MAIN]
        self.see()

    def publish_staged(self) -> None:
        main = self.heads["branch", MAIN]
        staged = [number for number, parent in self.parents.items() if parent == main and number not in self.told]
        if staged:
            self.heads["branch", MAIN] = staged[0]
            self.told.add(staged[0])
            self.expected.append(("table.committed", staged[0]))
            self.see()

    def alter(self) -> None:
        key = self.chance.choice("abc")
        self.properties[key] = str(len(self.expected))
        self.expected.append(("table.altered", key))
        self.see()

    def look_again(self) -> None:
        self.see()

    def fail(self) -> None:
        """Store a commit in a transaction that is rolled back; the commit is then expired."""
        number = max(self.parents) + 1
        seen = self.metadata()
        later = made.snapshot(number, parent_id=self.heads["branch", MAIN])
        refs = (Ref(MAIN, "branch", number), *seen.refs[1:])
        seen = replace(seen, snapshots=(*seen.snapshots, later), refs=refs, current_snapshot_id=number)
        with pytest.raises(Failed), self.database.session() as session:
            _store_and_fail(session, self.table_id, seen)

    def refuse(self) -> None:
        number = self.heads["branch", MAIN]
        with leases.hold(self.database, self.table_id, wait_seconds=5) as lease, self.database.session() as session:
            quarantine(session, lease, get_snapshot(session, self.table_id, number).row_id, "metadata_corrupt: cut")
        if number not in self.quarantined:
            self.quarantined.add(number)
            self.expected.append(("table.quarantined", number))

    def recover(self) -> None:
        number = self.heads["branch", MAIN]
        made.show(self.database, self.table_id, number, made.published([number]))
        if number in self.quarantined:
            self.quarantined.remove(number)
            self.expected.append(("table.recovered", number))

    def see(self) -> None:
        made.store(self.database, self.table_id, self.metadata())


def _store_and_fail(session: Any, table_id: int, seen: TableMetadata) -> None:
    store_metadata(session, table_id, seen, 2)
    raise Failed


def check(database: Database, seed: int, steps: int = 40) -> None:
    """Apply random steps to two tables, and compare the log after each step."""
    chance = random.Random(seed)
    start = bounds(database).last
    tables = [History(database, chance, f"shop.t{seed}_{number}") for number in range(2)]
    for _ in range(steps):
        chance.choice(tables).step()
        page = read_log(database, start, 10_000)
        assert page.restart is None
        assert [one.id for one in page.events] == list(range(start + 1, start + 1 + len(page.events)))
        for table in tables:
            found = [_fact(one.type, one.data) for one in page.events if one.table == table.name]
            assert found == table.expected
        assert len(page.events) == sum(len(table.expected) for table in tables)


def _fact(kind: str, data: Any) -> Fact:
    match kind:
        case "table.committed" | "table.quarantined" | "table.recovered":
            return kind, int(data["snapshot_id"])
        case "table.ref_changed":
            ends = (data["previous_snapshot_id"], data["snapshot_id"])
            return kind, data["ref"], *(None if end is None else int(end) for end in ends)
        case "table.altered":
            return kind, *data.get("properties", ())
        case _:
            return (kind,)


Patch = pytest.MonkeyPatch
PLANTED = planted = PlantedBugs()


@planted("children come before their parents")
def _(patch: Patch) -> None:
    real = reachable.newly_reachable
    patch.setattr(reconcile, "newly_reachable", lambda *given: real(*given)[::-1])


@planted("of several commits only the last is told")
def _(patch: Patch) -> None:
    real = reachable.newly_reachable
    patch.setattr(reconcile, "newly_reachable", lambda *given: real(*given)[-1:])


@planted("what was told is forgotten")
def _(patch: Patch) -> None:
    real = reconcile._row
    patch.setattr(reconcile, "_row", lambda *given: {**real(*given), "announced": False})


@planted("a staged snapshot counts as told")
def _(patch: Patch) -> None:
    real = reconcile._row
    patch.setattr(reconcile, "_row", lambda *given: {**real(*given), "announced": True})


@planted("a staged snapshot that a ref has reached is told at every look")
def _(patch: Patch) -> None:
    patch.setattr(reconcile, "_announce", lambda *_: None)


@planted("moved refs are not told")
def _(patch: Patch) -> None:
    patch.setattr(table_events, "moved_refs", lambda *_: [])


@planted("every commit moves a ref")
def _(patch: Patch) -> None:
    patch.setattr(reachable, "_is_advanced", lambda before, now, *_: before == now)


@planted("a rollback is an advance")
def _(patch: Patch) -> None:
    patch.setattr(reachable, "_is_advanced", lambda *_: True)


@planted("properties are altered at every look")
def _(patch: Patch) -> None:
    real = table_events._altered
    patch.setattr(table_events, "_altered", lambda *given: real(*given) or {"properties": []})


@planted("altered properties are not told")
def _(patch: Patch) -> None:
    patch.setattr(table_events, "_altered", lambda *_: {})


@planted("each failed retry is told as a new quarantine")
def _(patch: Patch) -> None:
    real = snapshots._clear

    def clear(*given: Any, **named: Any) -> Any:
        class Before:
            def __getattr__(self, name: str) -> Any:
                return "known" if name == "state" else getattr(row, name)

        row = real(*given, **named)
        return Before()

    patch.setattr(snapshots, "_clear", clear)


@planted("recovery is not told")
def _(patch: Patch) -> None:
    real = snapshots._record_state

    def told(session: Any, kind: Any, *given: Any, **named: Any) -> None:
        if kind != "table.recovered":
            real(session, kind, *given, **named)

    patch.setattr(snapshots, "_record_state", told)


@planted("events of a transaction that fails are told by the next one")
def _(patch: Patch) -> None:
    kept: list[Any] = []
    real = events.record

    def record(session: Any, found: Any) -> None:
        kept.extend(found)
        real(session, list(kept))
        patch_on_commit(session, kept)

    def patch_on_commit(session: Any, kept: list[Any]) -> None:
        event.listen(session, "after_commit", lambda _: kept.clear(), once=True)

    patch.setattr(table_metadata_store, "record", record)


@planted("ids are taken and not used")
def _(patch: Patch) -> None:
    real = events._take_ids
    patch.setattr(events, "_take_ids", lambda session, number: real(session, number + 1))


@planted("an event is lost when a transaction has several")
def _(patch: Patch) -> None:
    patch.setattr(events, "insert_all", lambda session, kind, rows: insert_all(session, kind, rows[:1]))
