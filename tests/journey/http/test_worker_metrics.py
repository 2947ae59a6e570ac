"""Four worker processes under load: a scrape of any worker covers all, and equals what the clients counted."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pyiceberg.catalog.sql import SqlCatalog

from tests.journey.servers import Running, free_port, served
from tests.polling import until
from tests.prometheus import prometheus, promtool
from tests.tree import ROOT
from tests.webhook_receiver import SECRET, receiving

WORKERS = 4
CLIENTS = 4
PLAN = "/api/v1/tables/{table}/plan"
FILES = "/api/v1/tables/{table}/files"

pytestmark = pytest.mark.slow


class Load:
    """Clients that count their responses."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.requests: Counter[tuple[str, str, str]] = Counter()
        self.kept = 0

    def ask(self, method: str, route: str, path: str, **more: Any) -> httpx.Response:
        """Send a request on a new connection, which any worker may accept."""
        answer = httpx.request(method, self.uri + path, timeout=60, **more)
        self.requests[method, route, str(answer.status_code)] += 1
        return answer

    def run(self, first: int, rounds: int) -> None:
        """Send the requests of one client; no two plans are equal."""
        for number in range(first, first + rounds):
            body = {"filter": f"amount <> {-1 - number}"}
            plan = self.ask("POST", PLAN, "/api/v1/tables/shop.orders/plan", json=body)
            self.kept += plan.json()["counts"]["files"]
            self.ask("GET", FILES, "/api/v1/tables/shop.orders/files", headers={"Accept": "application/x-ndjson"})
            self.ask("GET", FILES, "/api/v1/tables/no.such/files")
            self.ask("GET", "unmatched", "/no/such/path")


def loaded(uri: str, first: int, rounds: int) -> Load:
    """Run all clients and return their total."""
    loads = [Load(uri) for _ in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as threads:
        for client, load in enumerate(loads):
            threads.submit(load.run, first + client * rounds, rounds)
    whole = Load(uri)
    for load in loads:
        whole.requests += load.requests
        whole.kept += load.kept
    assert whole.requests["POST", PLAN, "200"] == CLIENTS * rounds
    return whole


def scraped(uri: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Scrape the metrics and return the samples by name and labels; assert that each occurs once."""
    text = httpx.get(f"{uri}/metrics", timeout=60).text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    found = {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}
    assert len(found) == len(samples)
    return found


def of(found: dict[tuple[str, frozenset[tuple[str, str]]], float], name: str, **labels: str) -> float:
    """Return the sum of a metric's series with these labels."""
    wanted = labels.items()
    return sum(value for (own, has), value in found.items() if own == name and wanted <= dict(has).items())


def requests_of(uri: str) -> Counter[tuple[str, str, str]]:
    """Return the requests that one scrape counts, without scrapes and probes."""
    counted: Counter[tuple[str, str, str]] = Counter()
    for (name, has), value in scraped(uri).items():
        labels = dict(has)
        if name == "lakemuster_requests_total" and labels["route"] not in {"/metrics", "/readyz", "/healthz"}:
            counted[labels["method"], labels["route"], labels["status"]] = int(value)
    return counted


def started(uri: str) -> dict[str, float]:
    """Return the start time of each live worker, by its number."""
    found = scraped(uri).items()
    return {dict(has)["worker"]: value for (name, has), value in found if name == "process_start_time_seconds"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("workers")
    with receiving() as receiver:
        hooks = json.dumps({"lake": {"url": receiver.url, "secret": SECRET}})
        with served(folder, "--demo", WORKERS=str(WORKERS), ROOTS=str(folder / "grown"), WEBHOOKS=hooks) as running:
            until(lambda: len(started(running.uri)) == WORKERS)
            yield running


def kill_a_worker(server: Running) -> None:
    """Kill one worker, and wait for its replacement."""
    before = started(server.uri)
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    workers = [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    assert len(workers) == WORKERS
    os.kill(workers[0], signal.SIGKILL)

    def is_replaced() -> bool:
        try:
            now = started(server.uri)
        except httpx.TransportError:
            return False  # the connection was to the killed worker
        return now.keys() == before.keys() and now != before

    until(is_replaced)


def test_one_scrape_equals_the_counts_of_the_clients_although_a_worker_was_killed(server: Running) -> None:
    uri = server.uri
    before, requests_before = scraped(uri), requests_of(uri)
    load = loaded(uri, 0, 6)
    until(lambda: requests_of(uri) - requests_before == load.requests)
    kill_a_worker(server)
    assert requests_of(uri) - requests_before == load.requests
    more = loaded(uri, 1000, 6)
    until(lambda: requests_of(uri) - requests_before == load.requests + more.requests)

    after = scraped(uri)

    def grown(name: str, **labels: str) -> float:
        return of(after, name, **labels) - of(before, name, **labels)

    plans = 2 * CLIENTS * 6
    assert grown("lakemuster_plans_total", protocol="native") == plans
    assert grown("lakemuster_plan_files_total", state="kept") == load.kept + more.kept > 0
    assert grown("lakemuster_request_seconds_count", route=PLAN) == plans
    assert grown("lakemuster_request_seconds_bucket", route=PLAN, le="+Inf") == plans
    # The gauges of the killed worker are removed.
    assert of(after, "lakemuster_requests_in_flight") == 1
    assert of(after, "lakemuster_slots_limit", kind="requests") == 96 * sum(
        1 for name, has in after if name == "process_open_fds"
    )


def test_what_components_hold_is_of_all_workers(server: Running) -> None:
    uri = server.uri
    before = scraped(uri)
    for _ in range(40):
        assert httpx.get(f"{uri}/api/v1/tables/shop.orders/snapshots").status_code == 200
    after = scraped(uri)
    reads = ("lakemuster_cache_hits_total", "lakemuster_cache_misses_total")
    assert sum(of(after, name, cache="responses") - of(before, name, cache="responses") for name in reads) == 40
    assert len([1 for name, _ in after if name == "process_resident_memory_bytes"]) == WORKERS
    assert len([1 for name, has in after if name == "python_info" and ("worker", "0") in has]) == 1
    assert of(after, "lakemuster_job_leases") == len([1 for name, _ in after if name == "lakemuster_job_running"])
    limit = of(after, "lakemuster_cache_limit_bytes")
    assert 0 < of(after, "lakemuster_cache_bytes") < limit
    assert of(after, "lakemuster_database_connections_limit") == 32 * WORKERS
    # Gauges of the shared database are not summed.
    assert of(after, "lakemuster_tables", state="fresh") == 8
    assert of(after, "lakemuster_build_info") == 1


def test_promtool_finds_nothing_to_say_about_the_metrics(server: Running) -> None:
    text = httpx.get(f"{server.uri}/metrics").content
    assert promtool("check", "metrics", given=text) == (0, "")
    status, words = promtool("check", "metrics", given=text + b"# TYPE bad_counter counter\nbad_counter 1\n")
    assert status != 0
    assert "bad_counter" in words


def test_every_line_of_the_log_is_json_with_its_request_and_probes_are_quiet(server: Running) -> None:
    for path, name in (("/api/v1/tables/no.such", "asked-1"), ("/healthz", "probe-1"), ("/readyz", "probe-2")):
        httpx.get(server.uri + path, headers={"X-Request-Id": name})

    def lines() -> list[dict[str, Any]]:
        written = server.log.read_text().splitlines()
        return [json.loads(line) for line in written if line.startswith("{")]

    until(lambda: any(line.get("request_id") == "asked-1" for line in lines()))
    (line,) = [line for line in lines() if line.get("request_id") == "asked-1"]
    assert (line["logger"], line["level"], line["status"]) == ("lakemuster.access", "info", 404)
    assert not [line for line in lines() if str(line.get("request_id")).startswith("probe")]
    assert not [line for line in server.log.read_text().splitlines() if "lakemuster.access" in line and line[0] != "{"]


@pytest.mark.full
def test_every_expression_of_the_dashboard_and_every_rule_gives_something(server: Running, tmp_path: Path) -> None:
    """A Prometheus scrapes the server under load while a table changes."""
    board = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
    expressions = {target["expr"] for panel in board["panels"] for target in panel.get("targets", ())}
    assert len(expressions) > 30
    target = server.uri.removeprefix("http://")
    lake = server.log.parent / "grown"
    lake.mkdir()
    catalog = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{lake}")
    catalog.create_namespace("db")
    rows = pa.table({"id": pa.array([1, 2, 3], pa.int64())})
    table = catalog.create_table("db.t", rows.schema)
    server.post("/tables", {"name": "db.t", "location": table.location()}, status=201)
    rules = ROOT / "deploy" / "prometheus-alerts.yml"
    with prometheus(tmp_path / "prometheus", free_port(), target, rules) as running:
        missing = expressions
        for number in range(8):
            loaded(server.uri, 10_000 + 100 * number, 3)
            table.append(rows)
            server.get("/tables/db.t/snapshots")
            time.sleep(2)  # two scrapes
            missing = {text for text in missing if not _gives_something(running.query(_filled(text)))}
            if not missing:
                break
        assert not missing
        assert {rule["health"] for rule in running.rules()} == {"ok"}
        assert not [rule["name"] for rule in running.rules() if rule["state"] == "firing"]


def _filled(expression: str) -> str:
    return expression.replace("$__rate_interval", "30s").replace("$job", ".*").replace("$instance", ".*")


def _gives_something(series: list[dict[str, Any]]) -> bool:
    return any(one["value"][1] != "NaN" for one in series)
