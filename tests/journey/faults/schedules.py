"""Seeded schedules of faults, and how they are run and judged."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.journey.faults import serve
from tests.journey.faults.proxies import DATABASE_FAULTS, STORAGE_FAULTS, DatabaseFault, Rule
from tests.journey.faults.questions import Answer, Asker, Clients, Table, WrongAnswer
from tests.journey.faults.world import SEGMENTS, SICK, STALENESS, WELL, World

CLIENTS = 32
FAULT_SECONDS = 5.0
"""The end of the last fault, at most."""
RECOVERY_SECONDS = 10.0
KNOWN_SECONDS = 2.0
"""Limit of the 99th percentile of known responses, beyond that of ``/healthz``."""
LONGEST_SECONDS = 12.0
"""Limit of every response, errors included, beyond the 99th percentile of ``/healthz``."""
LOOKS_AT_ONCE, LOOKS_A_SECOND = 2, 6.0
"""Limits of one server's requests for one object of a table: looks are shared; attempts in an outage count."""
STALE_SHARE = 0.1
"""Limit of the share of stale responses among those about tables without faults."""
AFTER_SECONDS = 6.0
"""How long after the end of a database fault or a kill a request that began during it may still fail."""
UNEXCUSED_SECONDS = 2.0
MEMORY_BYTES = 1 << 30
DESCRIPTORS = 600

_OF_BOTH_FORMATS = ("", "metadata/|snapshot/", "version-hint|LATEST|snapshot-", r"\.avro|manifest", r"\.json|snapshot-")
_MANIFESTS = "-m0.avro|manifest-[0-9a-f]{8}-"
_PATTERNS = ("", "metadata", "version-hint|LATEST", "snapshot/", r"\.avro|manifest", r"metadata\.json")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault from ``start`` to ``end``, in seconds since the schedule began."""

    start: float
    end: float
    rule: Rule | None = None
    database: DatabaseFault | None = None
    kill: int | None = None
    decoders: int | None = None
    clock: tuple[int, float] | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """The faults and the deployment that a seed determines."""

    seed: int
    postgres: bool
    remote_segments: bool
    replicas: int
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, seed: int) -> Schedule:
        """Return the schedule of a seed."""
        drawn = random.Random(seed)
        postgres = drawn.random() < 0.5
        replicas = 2 if postgres and drawn.random() < 0.6 else 1
        remote = replicas > 1 or drawn.random() < 0.3
        faults = [_storage_fault(drawn, remote) for _ in range(drawn.randrange(1, 4))]
        if postgres and drawn.random() < 0.5:
            start, end = _times(drawn)
            faults.append(Fault(start, end, database=drawn.choice(DATABASE_FAULTS)))
        if drawn.random() < 0.4:
            start, end = _times(drawn)
            faults.append(Fault(start, end, kill=drawn.randrange(replicas)))
        if drawn.random() < 0.4:
            start, _ = _times(drawn)
            faults.append(Fault(start, start, decoders=drawn.randrange(replicas)))
        if drawn.random() < 0.5:
            start, _ = _times(drawn)
            step = drawn.choice((-900.0, -60.0, 60.0, 900.0))
            faults.append(Fault(start, FAULT_SECONDS, clock=(drawn.randrange(replicas), step)))
        return cls(seed, postgres, remote, replicas, tuple(faults))

    @classmethod
    def of_storage(cls, seed: int, *, has_digests: bool) -> Schedule:
        """Return a schedule with each storage fault once, in the seed's order, for one server on SQLite.

        Args:
            has_digests: the store reports digests. Without them no bit is flipped, and only objects whose length is in
                metadata are cut: no other change can be detected.
        """
        drawn = random.Random(seed)
        kinds = [kind for kind in STORAGE_FAULTS if has_digests or kind != "flip"]
        drawn.shuffle(kinds)
        faults = []
        for start, kind in enumerate(kinds):
            pattern = drawn.choice(_OF_BOTH_FORMATS) if has_digests or kind != "short" else _MANIFESTS
            rule = Rule(f"/{SICK}-[0-9]+.*({pattern})", kind, drawn.choice((0.5, 1.0)))
            faults.append(Fault(start, start + drawn.uniform(1.0, 2.0), rule=rule))
        return cls(seed, False, False, 1, tuple(faults))


def _times(drawn: random.Random) -> tuple[float, float]:
    start = drawn.uniform(0, FAULT_SECONDS * 0.7)
    return start, min(FAULT_SECONDS, start + drawn.uniform(0.5, FAULT_SECONDS))


def _storage_fault(drawn: random.Random, remote_segments: bool) -> Fault:
    start, end = _times(drawn)
    buckets = f"({SICK}|{SEGMENTS})" if remote_segments and drawn.random() < 0.3 else SICK
    pattern = f"/{buckets}-[0-9]+.*({drawn.choice(_PATTERNS)})"
    return Fault(start, end, rule=Rule(pattern, drawn.choice(STORAGE_FAULTS), drawn.choice((0.2, 0.5, 1.0))))


@dataclass(slots=True)
class Outcome:
    """The result of a schedule.

    Attributes:
        problems: broken laws about contents; empty if all hold.
        late: broken laws about times and the share of stale responses; an overloaded machine breaks them too.
        excused: periods in which a server or the database was unavailable, by ``time.monotonic``.
    """

    problems: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    excused: list[tuple[float, float]] = field(default_factory=list)
    seconds: float = 0.0
    recovery_seconds: float = 0.0
    most_memory: int = 0
    most_descriptors: int = 0
    most_looks: float = 0.0

    def figures(self) -> str:
        """Return a one-line summary."""
        known = sorted(answer.seconds for answer in self.answers if answer.known)
        return (
            f"{len(self.answers)} answers, known p99 {_percentile(known, 0.99):.2f} s, "
            f"right again after {self.recovery_seconds:.1f} s, {self.most_memory >> 20} MiB, "
            f"{self.most_descriptors} descriptors, an object asked for {self.most_looks:.1f} times a second"
        )


def run(schedule: Schedule, world: World, clients: int = CLIENTS) -> Outcome:
    """Run a schedule and judge the responses."""
    outcome = Outcome()
    asking = Clients(clients, world.ports, world.tables, STALENESS, schedule.seed)
    world.begin_commits(schedule.seed)
    world.storage.forget()
    began = time.monotonic()
    _play(schedule, world, outcome)
    world.end_commits()
    _recover(world, outcome)
    # Clients continue until some responses are outside all excused periods.
    _watch(world, outcome, max((end for _, end in outcome.excused), default=0.0) + UNEXCUSED_SECONDS)
    findings = asking.stop()
    outcome.seconds = time.monotonic() - began
    outcome.problems += findings.violations[:20]
    outcome.answers = findings.answers
    _judge(schedule, outcome)
    _judge_looks(schedule, world, outcome)
    return outcome


def _play(schedule: Schedule, world: World, outcome: Outcome) -> None:
    """Start and end each fault at its time."""
    began = time.monotonic()
    events: list[tuple[float, Callable[[], None]]] = []
    rules: list[Rule] = []
    down: dict[int, float] = {}

    def storage(fault: Fault, starts: bool) -> None:
        assert fault.rule is not None
        (rules.append if starts else rules.remove)(fault.rule)
        world.storage.tell(*rules)

    def database(fault: Fault, starts: bool) -> None:
        assert world.database is not None
        world.database.tell(fault.database if starts else None)
        if not starts:
            outcome.excused.append((began + fault.start, time.monotonic() + AFTER_SECONDS))

    def kill(fault: Fault, starts: bool) -> None:
        assert fault.kill is not None
        if starts:
            down[fault.kill] = time.monotonic()
            world.kill(fault.kill)
        else:
            world.start(fault.kill)

    for fault in schedule.faults:
        for act, is_there in ((storage, fault.rule), (database, fault.database), (kill, fault.kill)):
            if is_there is not None:
                events.append((fault.start, lambda act=act, fault=fault: act(fault, True)))  # type: ignore[misc]
                events.append((fault.end, lambda act=act, fault=fault: act(fault, False)))  # type: ignore[misc]
        if fault.decoders is not None:
            events.append((fault.start, world.replicas[fault.decoders].kill_decoders))
        if fault.clock is not None:
            replica, step = fault.clock
            clock = world.replicas[replica].clock
            events.append((fault.start, lambda clock=clock, step=step: serve.set_offset(clock, step)))  # type: ignore[misc]
    for at, event in sorted(events, key=lambda pair: pair[0]):
        _watch(world, outcome, began + at)
        event()
    _watch(world, outcome, began + max((fault.end for fault in schedule.faults), default=FAULT_SECONDS))
    world.storage.tell()
    _await_servers(world, outcome, down)


def _watch(world: World, outcome: Outcome, until: float) -> None:
    """Sample memory and descriptors until a time of ``time.monotonic``."""
    while True:
        for replica in world.replicas:
            if replica.process is not None and replica.process.poll() is None:
                outcome.most_memory = max(outcome.most_memory, replica.memory())
                outcome.most_descriptors = max(outcome.most_descriptors, replica.descriptors())
        world.notice_ready()
        left = until - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, 0.2))


def _await_servers(world: World, outcome: Outcome, down: dict[int, float]) -> None:
    deadline = time.monotonic() + 60
    while len(world.ports()) < len(world.replicas):
        if time.monotonic() > deadline:
            outcome.problems.append("a server that was killed is not ready a minute after it was started again")
            return
        _watch(world, outcome, time.monotonic() + 0.1)
    for began in down.values():
        outcome.excused.append((began, time.monotonic() + AFTER_SECONDS))


def _recover(world: World, outcome: Outcome) -> None:
    """Wait until every server returns fresh plans of every table and its newest snapshots.

    The recovery time ends where the last, successful round of requests begins, so that a slow machine does not extend
    it.
    """
    began, last = time.monotonic(), ""
    while True:
        outcome.recovery_seconds = time.monotonic() - began
        wrong = _wrong(world)
        if wrong is not None and outcome.recovery_seconds > 6 * RECOVERY_SECONDS:
            outcome.problems.append(f"{outcome.recovery_seconds:.0f} s after the last fault: {wrong}")
            return
        if wrong is None:
            if outcome.recovery_seconds > RECOVERY_SECONDS:
                outcome.late.append(f"all is right again only after {outcome.recovery_seconds:.1f} s: {last}")
            return
        last = wrong
        _watch(world, outcome, time.monotonic() + 0.2)


def _wrong(world: World) -> str | None:
    for port in world.ports():
        asker = Asker(lambda port=port: [port], world.tables, STALENESS, 0)  # type: ignore[misc]
        try:
            for table in world.tables:
                if (wrong := _wrong_of(asker, table)) is not None:
                    return wrong
        except WrongAnswer as wrong_answer:
            return str(wrong_answer)
        finally:
            asker.close()
    return None


def _wrong_of(asker: Asker, table: Table) -> str | None:
    answer = asker.plan(table)
    if answer.status != 200 or answer.stale:
        return f"{table.name}: status {answer.status}, {'stale' if answer.stale else 'not stale'}: {answer.reason}"
    for commit in table.history.retained()[-4:]:
        if (answer := asker.plan(table, commit)).status != 200:
            return f"{table.name}@{commit.number}: status {answer.status}: {answer.reason}"
    return None


def _judge(schedule: Schedule, outcome: Outcome) -> None:
    """Check the laws that concern all responses together."""

    def is_excused(answer: Answer) -> bool:
        answered_at = answer.asked_at + answer.seconds
        return any(start <= answered_at and answer.asked_at <= end for start, end in outcome.excused)

    answers = [answer for answer in outcome.answers if not is_excused(answer)]
    known = [answer for answer in answers if answer.known]
    failed = [answer for answer in known if answer.status != 200]
    if failed:
        outcome.problems.append(f"{len(failed)} known answers were not given: {failed[0]}")
    longest = max(outcome.answers, key=lambda answer: answer.seconds, default=None)
    idle = _percentile(sorted(answer.seconds for answer in answers if answer.kind == "healthz"), 0.99)
    slow = _percentile(sorted(answer.seconds for answer in known), 0.99)
    if slow > KNOWN_SECONDS + idle:
        outcome.late.append(f"p99 of known answers is {slow:.2f} s, of answers without work {idle:.2f} s")
    if longest is not None and longest.seconds > LONGEST_SECONDS + idle:
        outcome.late.append(f"the longest answer took {longest.seconds:.1f} s: {longest}")
    reaches_all = any(fault.rule is not None and SEGMENTS in fault.rule.pattern for fault in schedule.faults)
    others = [answer for answer in answers if answer.table is not None and answer.table.startswith(WELL)]
    touched = [answer for answer in others if answer.status != 200]
    stale = [answer for answer in others if answer.stale]
    if touched and not reaches_all:
        outcome.problems.append(f"{len(touched)} answers of other tables were touched: {touched[0]}")
    # An overloaded machine makes looks slow.
    if len(stale) > STALE_SHARE * len(others) and not reaches_all:
        outcome.late.append(f"{len(stale)} of {len(others)} answers of other tables were touched, stale: {stale[0]}")
    if outcome.most_memory > MEMORY_BYTES or outcome.most_descriptors > DESCRIPTORS:
        outcome.problems.append(f"{outcome.most_memory >> 20} MiB, {outcome.most_descriptors} descriptors")
    if len(answers) < 50:
        outcome.problems.append(f"only {len(answers)} answers: nothing is shown")


def _judge_looks(schedule: Schedule, world: World, outcome: Outcome) -> None:
    """Check that looks are shared and that failed ones are remembered."""
    for path, asked in world.storage.asked.items():
        if path.startswith(f"/{SEGMENTS}"):
            continue
        outcome.most_looks = max(outcome.most_looks, asked / outcome.seconds)
        if (most := world.storage.most_at_once[path]) > LOOKS_AT_ONCE * schedule.replicas:
            outcome.problems.append(f"{path} was asked for {most} times at once")
        if asked > LOOKS_A_SECOND * schedule.replicas * outcome.seconds:
            outcome.problems.append(f"{path} was asked for {asked / outcome.seconds:.1f} times a second")


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[int(len(ordered) * share)] if ordered else 0.0


def described(schedule: Schedule) -> str:
    """Return a schedule as text."""
    what = [f"seed {schedule.seed}: {'PostgreSQL' if schedule.postgres else 'SQLite'}, {schedule.replicas} server(s)"]
    for fault in schedule.faults:
        kind = fault.rule or fault.database or fault.clock
        named = kind if kind is not None else ("decoders killed" if fault.kill is None else "server killed")
        what.append(f"  {fault.start:.1f} to {fault.end:.1f} s: {named}")
    return "\n".join(what)


def log_of(folder: Path) -> str:
    """Return the ends of the servers' logs."""
    return "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(folder.rglob("server-*/server.log")))
