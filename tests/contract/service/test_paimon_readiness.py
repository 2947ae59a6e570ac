"""Ready partitions of a Paimon table, commit by commit, compared with its snapshots and manifest lists."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import time
from pathlib import Path

from lakemuster.catalog.lists import rows_of
from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from lakemuster.index.events import read_log
from lakemuster.jobs.job import Run
from lakemuster.jobs.readiness import TellReadyPartitions
from lakemuster.main import build_services
from tests.clocks import SteppedClock
from tests.contract.service.backends import rows
from tests.contract.service.readiness_lake import settings_of

NAME = "web.clicks"
QUIET_HOURS = 30
RULES = [{"quiet": f"{QUIET_HOURS}h"}, {"sibling": True}, {"watermark": "watermark"}]
HOUR = 3_600_000


def day_end(day: str) -> int:
    start = dt.datetime.fromisoformat(f"{day}T00:00:00+00:00")
    return round((start + dt.timedelta(days=1)).timestamp() * 1000)


def records(services: Services) -> dict[str, int]:
    """Return the record counts of the current snapshot, by day."""
    return {
        row["partition"]["dt"]: row["record_count"]
        for row in rows(rows_of(services.index, "partitions", services.view(NAME)))
    }


def told(services: Services) -> set[tuple[str, str]]:
    page = read_log(services.index.database, 0, 10_000)
    found = [(one.data["rule"], one.data["partition"]["dt"]) for one in page.events if one.type == "partition.ready"]
    assert len(found) == len(set(found))
    return set(found)


def test_each_rule_tells_the_days_of_a_paimon_table(tmp_path: Path) -> None:
    unpack(tmp_path / "lake")
    table, kept = tmp_path / "lake" / "web.db" / "clicks", tmp_path / "kept"
    shutil.copytree(table / "snapshot", kept)
    numbers = range(1, 1 + len(list(kept.glob("snapshot-*"))))
    committed = {number: json.loads((kept / f"snapshot-{number}").read_text())["timeMillis"] for number in numbers}
    # Watermarks as Flink records them: one snapshot has none, another has Flink's initial value.
    first_end = day_end("2024-05-01")
    marks = {number: first_end + (number - 3) * 12 * HOUR - 1 for number in numbers} | {2: -(2**63), 6: None}
    for path in (table / "snapshot").iterdir():
        path.unlink()
    clock = SteppedClock()

    def reveal(number: int) -> None:
        """Publish a commit, and refresh the table at the commit's time."""
        document = json.loads((kept / f"snapshot-{number}").read_text()) | {"watermark": marks[number]}
        (table / "snapshot" / f"snapshot-{number}").write_text(json.dumps(document))
        (table / "snapshot" / "LATEST").write_text(str(number))
        clock.stepped_ms = committed[number] - time.time_ns() // 1_000_000

    reveal(1)
    services = build_services(settings_of(tmp_path, RULES, None), clock=clock)
    services.add(NAME, str(table), None, (), operator=True)
    job = TellReadyPartitions(services)
    before: dict[str, int] = {}
    last: dict[str, int] = {}
    expected: set[tuple[str, str]] = set()
    for number in numbers:
        reveal(number)
        services.refresh(NAME)
        job.run(Run(lambda: True))
        now = records(services)
        last |= {day: committed[number] for day, count in now.items() if count != before.get(day)}
        before = now
        known = [marks[at] for at in numbers if at <= number and marks[at] is not None]
        mark = known[-1] if known[-1] != -(2**63) else None
        ready = {("quiet", day) for day in now if committed[number] - last[day] >= QUIET_HOURS * HOUR}
        ready |= {("sibling", day) for day in now if day < max(now)}
        ready |= {("watermark", day) for day in now if mark is not None and mark >= day_end(day)}
        # Partitions that are ready in the first snapshot were ready before the rules were added.
        silent = ready if number == 1 else set()
        expected |= ready
        expected -= silent
        assert told(services) == expected, number
        if number % 3 == 0:
            job = TellReadyPartitions(services)
    assert {rule for rule, _ in expected} == {"quiet", "sibling", "watermark"}
    services.close()
