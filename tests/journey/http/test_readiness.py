"""``/readyz`` reports faults of a running server's database, segment store and clock."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journey.servers import Running, lakemuster, served
from tests.postgres import PostgresServer
from tests.storage_servers import S3Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    with served(tmp_path) as running:
        yield running


def states(server: Running) -> dict[str, str]:
    """Return the checks; assert that the status agrees with them."""
    answer = server.http.get("/readyz")
    checks: dict[str, str] = answer.json()["checks"]
    ready = set(checks.values()) == {"ok"}
    assert (answer.status_code, answer.json()["ready"]) == ((200, True) if ready else (503, False))
    assert ready or answer.headers["retry-after"]
    assert server.http.get("/healthz").status_code == 200
    return checks


def told(server: Running, check: str) -> str:
    """Wait until a check fails, and return its message."""
    deadline = time.monotonic() + 60
    while (said := states(server)[check]) == "ok":
        assert time.monotonic() < deadline
    return said


def test_a_deleted_database_file_is_reported(server: Running, tmp_path: Path) -> None:
    assert set(states(server).values()) == {"ok"}
    (tmp_path / "index.db").unlink()
    assert "the database file is missing" in told(server, "database")
    assert states(server)["segments"] == "ok"


def test_an_overwritten_database_file_is_reported(server: Running, tmp_path: Path) -> None:
    assert set(states(server).values()) == {"ok"}
    with (tmp_path / "index.db").open("r+b") as file:
        file.write(b"no database" * 500)
    assert re.search("damaged|does not answer|rejected", told(server, "database"))


def test_a_removed_segment_folder_is_reported_until_it_is_back(server: Running, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "segments")
    assert "the segment store's folder is missing" in told(server, "segments")
    assert states(server)["database"] == "ok"
    (tmp_path / "segments/tmp").mkdir(parents=True)
    assert set(states(server).values()) == {"ok"}


def test_a_read_only_segment_folder_is_reported(server: Running, tmp_path: Path) -> None:
    (tmp_path / "segments/tmp").rmdir()
    (tmp_path / "segments/tmp").write_text("in the way")
    assert "the segment store is not writable" in told(server, "segments")


def test_a_removed_bucket_is_reported_until_it_is_back(s3_server: S3Server, tmp_path: Path) -> None:
    url, storage = f"{s3_server.url}/segments", json.dumps(s3_server.storage)
    with served(tmp_path, SEGMENTS_URL=url, STORAGE=storage) as running:
        assert set(states(running).values()) == {"ok"}
        for one in s3_server.client.list_objects_v2(Bucket=s3_server.bucket).get("Contents", ()):
            s3_server.client.delete_object(Bucket=s3_server.bucket, Key=one["Key"])
        s3_server.client.delete_bucket(Bucket=s3_server.bucket)
        assert "bucket or folder of the segment store is missing" in told(running, "segments")
        assert states(running)["database"] == "ok"
        s3_server.client.create_bucket(Bucket=s3_server.bucket)
        assert set(states(running).values()) == {"ok"}


def test_a_clock_difference_to_the_database_is_reported(postgres_server: PostgresServer, tmp_path: Path) -> None:
    with postgres_server.database() as url:
        assert lakemuster(tmp_path, "migrate", DATABASE_URL=url).returncode == 0
        name = url.partition("@/")[2].partition("?")[0]
        with served(tmp_path, DATABASE_URL=url) as running:
            assert set(states(running).values()) == {"ok"}
            with postgres_server.connect(name) as connection:
                connection.execute("CREATE SCHEMA wrong")
                connection.execute(
                    "CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE SQL "
                    "AS $$ SELECT pg_catalog.clock_timestamp() + interval '20 minutes' $$"
                )
                connection.execute(f"ALTER DATABASE {name} SET search_path = wrong, pg_catalog, public")
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lakemuster'"
                )
            assert "the database's clock is 20 minutes ahead" in told(running, "clock")
            assert states(running)["database"] == "ok"
