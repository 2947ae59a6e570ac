"""The server on each object store: tables and segments there, commits, and a second server."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.http_files import HttpFiles
from tests.journey.faults.growing import Commit
from tests.journey.faults.growing_iceberg import IcebergTable
from tests.journey.faults.growing_paimon import PaimonTable
from tests.journey.servers import Running, environment, served
from tests.object_stores import BUCKETS, KINDS
from tests.storage_servers import S3Server

PAGE = 1_000
EXTRAS = {
    "gcsfs": ("gcs", "gs://lake"),
    "adlfs": ("azure", "abfs://lake@account.dfs.core.windows.net"),
}


@dataclass(frozen=True)
class Place:
    """A bucket for tables, with the server's access to it.

    Attributes:
        segments: the URL below which the server may write; None on a read-only store.
    """

    url: str
    storage: dict[str, dict[str, Any]]
    write: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    segments: str | None

    def put(self, key: str, data: bytes) -> None:
        """See :meth:`Bucket.put`."""
        self.write(key, data)

    def delete(self, keys: Iterable[str]) -> None:
        """See :meth:`Bucket.delete`."""
        for key in keys:
            self.remove(key)

    def settings(self, folder: Path) -> dict[str, str]:
        """Return settings of a server with its own cache and a shared database."""
        return {
            "ROOTS": self.url,
            "STORAGE": json.dumps(self.storage),
            "DATABASE_URL": f"sqlite:///{folder.parent}/index.db",
            "CACHE_DIR": f"{folder}/cache",
            "SEGMENTS_URL": self.segments or f"{folder.parent}/segments",
        }


@pytest.fixture(params=["s3", *KINDS, "http"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """A bucket of each kind of store."""
    if request.param == "s3":
        server: S3Server = request.getfixturevalue("s3_server")

        def remove(key: str) -> None:
            server.client.delete_object(Bucket=server.bucket, Key=key)

        yield Place(server.url, server.storage, server.put, remove, f"{server.url}/segments")
    elif request.param == "http":
        with HttpFiles() as files:
            yield Place(f"{files.url}/lake", {}, lambda key, data: files.files.update({f"lake/{key}": data}),
                        lambda key: files.files.pop(f"lake/{key}"), None)  # fmt: skip
    else:
        bucket = request.getfixturevalue(BUCKETS[request.param])
        yield Place(bucket.url, bucket.storage, bucket.put, bucket.remove, f"{bucket.url}/segments")


def planned(server: Running, table: str, commit: Commit | None = None, where: str | None = None) -> set[str]:
    """Return the files of a plan of the current snapshot, or of a commit."""
    question: dict[str, Any] = {"page_size": PAGE}
    question |= {} if commit is None else {"snapshot_id": str(commit.snapshot_id)}
    question |= {} if where is None else {"filter": where}
    answer = server.post(f"/tables/{table}/plan", question)
    assert answer["stale"] is None
    assert answer["next_page_token"] is None
    files = [one["file_path"] for one in answer["files"]]
    assert len(files) == len(set(files))
    return set(files)


def test_tables_of_a_store_are_planned_refreshed_and_planned_again(place: Place, tmp_path: Path) -> None:
    kinds = {"i": IcebergTable} if place.segments is None else {"i": IcebergTable, "p": PaimonTable}
    tables = [
        kind(f"shop.{name}", place, f"{place.url}/{name}", name, random.Random(name)) for name, kind in kinds.items()
    ]
    for table in tables:
        table.append()
        table.append()
    with served(tmp_path / "one", **place.settings(tmp_path / "one")) as server:
        for table in tables:
            server.post("/tables", {"name": table.name, "location": table.url}, 201)
            first = table.history.newest()
            assert planned(server, table.name) == set(first.files)
            assert planned(server, table.name, where="id < 500000") == first.matching(0, 499_999)
            assert server.post(f"/tables/{table.name}/refresh")["entries_decoded"] == 0, "it is indexed already"
            table.append()
            table.remove()
            assert set(table.history.newest().files) != set(first.files)
            assert planned(server, table.name) == set(table.history.newest().files), "a commit is seen by the next plan"
            table.append()
            assert server.post(f"/tables/{table.name}/refresh")["entries_decoded"] > 0
            table.compact()
            for commit in (first, *table.history.retained()):
                assert planned(server, table.name, commit) == set(commit.files)
    with served(tmp_path / "two", **place.settings(tmp_path / "two")) as server:
        for table in tables:
            assert server.post(f"/tables/{table.name}/refresh")["entries_decoded"] == 0, "segments are shared"
            assert planned(server, table.name) == set(table.history.newest().files)


@pytest.mark.parametrize("package", EXTRAS)
def test_a_missing_extra_is_named_by_the_server_and_the_command_line(package: str, tmp_path: Path) -> None:
    extra, root = EXTRAS[package]
    without = tmp_path / "without"
    without.mkdir()
    # As if the package were not installed; child processes inherit it.
    (without / "sitecustomize.py").write_text(f"import sys\nsys.modules[{package!r}] = None\n")
    variables = environment(tmp_path, {"ROOTS": root})
    variables["PYTHONPATH"] = os.pathsep.join([str(without), variables["PYTHONPATH"]])
    for words in (("serve", "--port", "0"), ("add", "shop.i", f"{root}/i")):
        command = [sys.executable, "-m", "lakemuster", *words]
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert f"lakemuster[{extra}]" in done.stderr
        assert f"pip install '.[{extra}]'" in done.stderr
        assert "Traceback" not in done.stderr
