"""A program in strict TypeScript, typed by ``openapi-typescript`` from the native API's document, compiles without a
cast, runs against a server, and gets the same results as the Python client.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakemuster import Client
from lakemuster.client import Table
from lakemuster.client.table_history import ExpiryChoice
from tests.beside import node_modules_of
from tests.journey.response_models import Document
from tests.journey.servers import Running, lakemuster, served
from tests.journey.test_response_models import ALSO, NOT_JSON
from tests.openapi_yaml import read
from tests.pages import blocks
from tests.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SOURCE = Path(__file__).parent / "typescript"
PAGE = ROOT / "docs" / "tutorials" / "typescript.md"
PROGRAM = (SOURCE / "program.ts").read_text("utf-8")
ALL: ExpiryChoice = {"older_than": "2100-01-01T00:00:00Z", "retain_last": 1, "index": True}
TABLES = {"shop.orders": "id", "shop.customers": "id", "shop.stock": "quantity", "web.events": "user_id"}


def run(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(folder / "node_modules" / ".bin" / program), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def project(folder: Path, document: str, program: str = PROGRAM) -> Path:
    """Create a folder with the program and the types generated from a document."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "tsconfig.json"):
        shutil.copyfile(SOURCE / name, folder / name)
    (folder / "program.ts").write_text(program, "utf-8")
    (folder / "node_modules").symlink_to(node_modules_of(SOURCE))
    (folder / "native.yaml").write_text(document, "utf-8")
    typed = run(folder, "openapi-typescript", "native.yaml", "--output", "api.ts")
    assert typed.returncode == 0, typed.stderr
    return folder


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> str:
    written = lakemuster(tmp_path_factory.mktemp("openapi"), "openapi", "native")
    assert written.returncode == 0, written.stderr
    return written.stdout


@pytest.fixture(scope="module")
def compiled(document: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project(tmp_path_factory.mktemp("typescript") / "program", document)
    checked = run(folder, "tsc", "--noEmit", "--strict", "--project", ".")
    assert checked.returncode == 0, checked.stdout
    assert run(folder, "tsc", "--project", ".").returncode == 0
    return folder


def test_the_program_has_no_cast_and_uses_every_operation(document: str) -> None:
    code = re.sub(r"//.*|/\*.*?\*/|\"[^\"]*\"", "", PROGRAM)
    assert not re.search(r"\bany\b|\bas\b|@ts-|[\w)\]]!(?!=)|<unknown>", code)
    used = set(re.findall(r'client\.(GET|POST|DELETE)\("([^"]+)"', PROGRAM))
    assert used == Document(read(document)).operations("/api/v1/", *ALSO) - NOT_JSON


def test_no_generated_type_is_any(compiled: Path) -> None:
    types = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", (compiled / "api.ts").read_text("utf-8"), flags=re.DOTALL)
    assert not re.search(r"\bany\b|Record<string, never>;\n {8}", types)


def test_the_example_of_the_page_compiles_and_runs(compiled: Path, demo: Running, tmp_path: Path) -> None:
    shutil.copyfile(compiled / "api.ts", tmp_path / "api.ts")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(node_modules_of(SOURCE))
    (tmp_path / "stats.ts").write_text(blocks(PAGE, "ts")[0].replace("http://127.0.0.1:8181", demo.uri))
    command = next(line for block in blocks(PAGE, "sh") for line in block.splitlines() if line.startswith("npx tsc "))
    checked = run(tmp_path, *command.split()[1:])
    assert checked.returncode == 0, checked.stdout
    done = subprocess.run(["node", "stats.js"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    stats = demo.get("/tables/shop.orders/stats")
    assert done.stdout.split() == [
        str(stats["totals"]["data_files"]),
        str(stats["deletes"]["rows_deleted"]["exact"]).lower(),
    ]


MISTAKES = {
    "a member that is not there": ("page.next_page_token;", "page.next_token;"),
    "null as a text": ("instant(found.last_updated_at)", "found.last_updated_at.length"),
    "a number that may be text": ("files: stats.totals.data_files", "files: stats.totals.bytes + 1"),
    "a member of one format": ("else sequences.push(file.sequence_number)", "else sequences.push(file.bucket)"),
    "a value of an exact aggregate only": ("one.exact ? [one.value]", "true ? [one.value]"),
    "an event of another type": ("${event.data.branch}", "${event.data.reason}"),
    "a state that does not exist": ('state: "known" | "published"', 'state: "known"'),
    "a required parameter is missing": ("query: { from: oldest.snapshot_id", "query: { ref: oldest.snapshot_id"),
    "an unknown parameter": ('sort: "-total_bytes" };', 'sort: "-total_bytes", sorted: true };'),
    "a body without its member": ('aggregates: ["count", "files", "bytes"]', ""),
    "a path that does not exist": ('"/api/v1/namespaces"', '"/api/v1/namespace"'),
    "rows of a list that is being indexed": ('if (!("timeline" in commits)) throw', "if (false) throw"),
}


@pytest.fixture(scope="module")
def refused(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The mistakes that the compiler reports, from one run over all of them."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name in ("package.json", "tsconfig.json", "api.ts"):
        shutil.copyfile(compiled / name, folder / name)
    (folder / "node_modules").symlink_to(node_modules_of(SOURCE))
    files = {f"mistake_{number}.ts": mistake for number, mistake in enumerate(MISTAKES)}
    for file, mistake in files.items():
        (folder / file).write_text(PROGRAM.replace(*MISTAKES[mistake]), "utf-8")
    configured = json.loads((folder / "tsconfig.json").read_text()) | {"files": [*files]}
    (folder / "tsconfig.json").write_text(json.dumps(configured))
    checked = run(folder, "tsc", "--noEmit", "--strict", "--project", ".")
    return {files[file] for file in re.findall(r"^(mistake_\d+\.ts)\(\d", checked.stdout, re.MULTILINE)}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_types_refuse(mistake: str, refused: set[str]) -> None:
    assert MISTAKES[mistake][0] in PROGRAM
    assert mistake in refused


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("demo")
    with served(folder, "--demo", ROOTS=json.dumps([str(folder)])) as running:
        yield running


def answered(compiled: Path, demo: Running, *words: str) -> dict[str, Any]:
    command = ["node", str(compiled / "built" / "program.js"), demo.uri, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", TABLES)
def test_it_finds_what_the_python_client_finds(name: str, compiled: Path, demo: Running) -> None:
    with Client(demo.uri) as client:
        table = client.table(name)
        found = answered(compiled, demo, name, TABLES[name], table.info().location)
        rows = demo.rows("/tables", sort="-total_bytes")
        assert found["lists"]["names"] == [f"{row['format']} {row['name']}" for row in rows]
        assert int(found["lists"]["bytes"]) == sum(row["total_bytes"] for row in rows)
        for part, check in CHECKS.items():
            check(found[part], table)
    assert found["service"] == {"status": "ok", "ready": True}
    assert found["catalogs"] == {"kinds": [], "missing": "catalog_not_found", "added": 0}
    assert found["webhooks"] == {"states": [], "subjects": [], "missing": ["webhook_not_found"] * 2, "requested": 0}
    assert found["health"]["fleet"] == sorted(row["name"] for row in rows)
    assert found["health"]["counted"] == len(rows)
    assert found["changes"]["refreshed"] == name
    assert found["changes"]["added"] == ["again.typed", table_format(demo, name), None]
    assert (found["changes"]["removed"], found["changes"]["gone"]) == (204, "table_not_found")
    assert found["events"][0] == f"{name} {table_format(demo, name)}"


def table_format(demo: Running, name: str) -> str:
    found: str = demo.get(f"/tables/{name}")["format"]
    return found


def history_is(found: dict[str, Any], table: Table) -> None:
    snapshots = list(table.snapshots())
    assert list(map(int, found["ids"])) == [one.snapshot_id for one in snapshots]
    current = next(schema for schema in table.schemas() if schema["current"])
    assert [text.split()[:2] for text in found["columns"]] == [[str(f["id"]), f["name"]] for f in current["fields"]]
    assert found["transforms"] == [field["transform"] for spec in table.specs() for field in spec["fields"]]
    changes = Counter(row["change"] for row in table.diff(snapshots[-1].snapshot_id, snapshots[0].snapshot_id))
    assert (found["added"], found["removed"]) == (changes["added"], changes["removed"])
    assert len(found["refs"]) == len(list(table.refs()))
    assert found["state"] == "published"


def content_is(found: dict[str, Any], table: Table) -> None:
    files = list(table.files(content=["data"], stats="*"))
    assert int(found["records"]) == sum(row["record_count"] for row in files)
    assert int(found["bytes"]) == sum(row["file_size_in_bytes"] for row in files)
    assert int(found["nulls"]) == sum(sum(row["null_value_counts"].values()) for row in files)
    assert len(found["buckets"]) + len(found["sequences"]) == len(files)
    entries = list(table.entries())
    assert found["statuses"] == sorted(row["status"] for row in entries)
    assert found["bounds"] == [len(row["lower_bounds"]) for row in entries]
    assert len(found["manifests"]) == len(list(table.manifests()))
    assert len(found["days"]) == len(list(table.partitions()))
    assert found["vectors"] == [len(row["deletion_vectors"] or ()) for row in table.indexes()]
    columns = list(table.columns())
    assert [row[:3] for row in found["columns"]] == [[c["column"], c["lower_bound"], c["upper_bound"]] for c in columns]
    first = columns[0]["column"]
    assert found["overlap"] == [[row["spec_id"], row["file_count"], row["max"]] for row in table.overlap(first)]
    groups = table.bounds(first)["groups"]
    assert found["groups"] == [[row["files"], row["kept"], row["lower_bound"], row["upper_bound"]] for row in groups]


def figures_are(found: dict[str, Any], table: Table) -> None:
    stats = table.stats()
    totals, deleted = stats["totals"], stats["deletes"]["rows_deleted"]
    assert (found["files"], found["records"]) == (totals["data_files"], totals["records"])
    assert found["histogram"] == [[of["from_bytes"], of["files"]] for of in stats["file_size_histogram"]]
    assert found["deleted"] == [deleted["lower"], deleted["upper"], deleted["exact"]]
    assert found["added"] == [row["added_records"] for row in table.timeline()]
    assert len(found["periods"]) == len(list(table.timeline(bucket="day")))
    assert found["expired"] == [of["snapshot_id"] for of in table.expiry(**ALL)["snapshots"]]
    assert found["names"] == sorted(row["file_path"] for row in table.expired_files(**ALL))
    answers = table.statistics(["count", "files", "bytes"])
    for shown, answer in zip(found["aggregates"], answers, strict=True):
        expected = [answer.value] if answer.exact else [answer.lower, answer.upper, answer.reason]
        assert shown == expected


def plans_are(found: dict[str, Any], table: Table) -> None:
    plan = table.plan(where=f"{TABLES[table.name]} >= 10")
    assert found["files"] == len(plan.files)
    assert found["records"] == sum(row["record_count"] for row in plan.files)
    assert found["deletes"] == len(plan.deletes)
    assert found["attached"] == [len(row["deletes"]) for row in plan.files]
    assert found["states"] == ["kept"]
    assert found["tasks"] > 0


def health_is(found: dict[str, Any], table: Table) -> None:
    health = table.health(history=7)
    shown = [[one["name"], one["status"], one["remedy"]] for one in health["components"]]
    assert list(map(list, zip(found["components"], found["statuses"], found["remedies"], strict=True))) == shown
    assert found["days"] == len(health["history"])
    assert found["ready"] == []


def system_is(found: dict[str, Any], table: Table) -> None:
    tables = list(table.system_tables())
    assert found["tables"] == [f"{row['name']} {len(row['columns'])}" for row in tables]
    partitions = list(table.system("partitions")) if tables else []
    assert found["partitions"] == len(partitions)


CHECKS: dict[str, Callable[[dict[str, Any], Table], None]] = {
    "history": history_is,
    "content": content_is,
    "figures": figures_are,
    "plans": plans_are,
    "health": health_is,
    "system": system_is,
}


def test_the_document_is_the_committed_one(document: str) -> None:
    whole = read((ROOT / "openapi.yaml").read_text("utf-8"))
    assert read(document)["paths"].items() <= whole["paths"].items()
