"""Lists of real tables over HTTP: pages, NDJSON and Arrow have the same rows; broken streams are detectable."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest

from lakemuster.wire.native import pages
from lakemuster.wire.native.tables import TableDetails
from tests.journey.servers import Running, lakemuster, served

NDJSON, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"
LISTS = ("snapshots", "refs", "schemas", "specs", "manifests", "entries", "files", "partitions", "indexes")
OF_SNAPSHOT = LISTS[4:]
PRIMARY_KEY = "parquet.pk_09.pk_09"
BRANCHED = "parquet.append_table_with_append_pt_branch.append_table_with_append_pt_branch"


@pytest.fixture(scope="module")
def folder(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the index of all tables that were discovered."""
    folder = tmp_path_factory.mktemp("tables")
    for kind in ("iceberg", "paimon"):
        shutil.copytree(lakes / kind, folder / kind, copy_function=shutil.copyfile)
        rules = ("--rewrite", f"data/persistent={folder / kind}")
        found = lakemuster(folder, "discover", str(folder / kind), *rules)
        assert found.returncode == 0, found.stderr
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Running]:
    """A server of the tables in ``folder``."""
    with served(folder, MAX_STALENESS="60") as running:
        yield running


@pytest.fixture(scope="module")
def names(server: Running) -> list[str]:
    """The tables whose current snapshot is readable; the others record no location that a rewrite covers."""
    return [
        row["name"]
        for row in server.rows("/tables")
        if server.http.get(f"/api/v1/tables/{row['name']}/manifests").status_code == 200
    ]


def stream(server: Running, path: str, media: str, **params: str) -> httpx.Response:
    return server.http.get(f"/api/v1{path}", params=params, headers={"Accept": media})


def test_most_tables_are_registered(names: list[str]) -> None:
    assert len(names) >= 25


def test_every_response_is_as_documented(server: Running, names: list[str]) -> None:
    for name in names:
        TableDetails.model_validate(server.get(f"/tables/{name}"))
        for key in LISTS:
            model = getattr(pages, f"{key.capitalize()}Page")
            model.model_validate(server.get(f"/tables/{name}/{key}"))
        pages.FilesPage.model_validate(server.get(f"/tables/{name}/files", stats="*"))


@pytest.mark.parametrize("key", LISTS)
def test_pages_ndjson_and_arrow_have_the_same_rows(server: Running, names: list[str], key: str) -> None:
    for name in names:
        path = f"/tables/{name}/{key}"
        whole = server.get(path)
        paged: list[dict[str, Any]] = []
        token: dict[str, str] = {}
        while True:
            page = server.get(path, page_size=2, **token)
            paged += page[key]
            if page["next_page_token"] is None:
                break
            token = {"page_token": page["next_page_token"]}
        *lines, end = [json.loads(line) for line in stream(server, path, NDJSON).text.splitlines()]
        assert paged == lines == whole[key], name
        assert end["end"].pop("not_applied", []) == []
        assert end == {"end": {"count": len(lines), "snapshot_id": whole.get("snapshot_id")}}
        batches = list(
            pa.ipc.open_stream(io.BytesIO(stream(server, path, ARROW).content)).iter_batches_with_custom_metadata()
        )
        assert sum(found.batch.num_rows for found in batches) == len(lines)
        closing = dict(batches[-1].custom_metadata)
        assert closing[b"count"] == str(len(lines)).encode()
        if key in OF_SNAPSHOT:
            assert closing[b"snapshot_id"] == whole["snapshot_id"].encode()
            for column in ("file_path", "manifest_path", "record_count"):
                if lines and column in lines[0]:
                    arrow = [value for found in batches for value in found.batch.column(column).to_pylist()]
                    assert arrow == [row[column] for row in lines]


def test_a_pinned_response_is_not_sent_again(server: Running) -> None:
    snapshot = server.get(f"/tables/{PRIMARY_KEY}/snapshots")["snapshots"][2]["snapshot_id"]
    for key in OF_SNAPSHOT:
        path = f"/api/v1/tables/{PRIMARY_KEY}/{key}"
        first = server.http.get(path, params={"snapshot": snapshot})
        assert "immutable" in first.headers["cache-control"]
        again = server.http.get(path, params={"snapshot": snapshot}, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_pages_of_a_branch_stay_on_its_snapshot(server: Running) -> None:
    refs = server.rows(f"/tables/{BRANCHED}/refs")
    branch = next(ref for ref in refs if ref["type"] == "branch" and ref["name"] != "main")
    path = f"/tables/{BRANCHED}/files"
    whole = server.get(path, ref=branch["name"])
    main = server.get(path)
    assert whole["snapshot_id"] == main["snapshot_id"] == branch["snapshot_id"]
    assert whole["files"] != main["files"]
    first = server.get(path, ref=branch["name"], page_size=1)
    rest = server.get(path, ref=branch["name"], page_token=first["next_page_token"])
    assert first["files"] + rest["files"] == whole["files"]


def test_a_diff_is_the_difference_of_the_two_lists(server: Running) -> None:
    path = f"/tables/{PRIMARY_KEY}"
    ids = [snapshot["snapshot_id"] for snapshot in server.rows(f"{path}/snapshots")]

    def paths(snapshot: str) -> set[str]:
        return {row["file_path"] for row in server.rows(f"{path}/files", snapshot=snapshot)}

    for old, new in pairwise(ids):
        answer = server.get(f"{path}/diff", **{"from": old, "to": new})
        pages.DiffPage.model_validate(answer)
        before, after = paths(old), paths(new)
        removed = {row["file_path"] for row in answer["diff"] if row["change"] == "removed"}
        added = {row["file_path"] for row in answer["diff"] if row["change"] == "added"}
        # A file that only changed its level is both removed and added.
        moved = removed & added
        assert moved <= before & after
        assert (removed - moved, added - moved) == (before - after, after - before)


def test_a_location_outside_of_the_roots_is_refused_over_http(server: Running, folder: Path) -> None:
    for location in (str(folder / "paimon"), "s3://nobody/t", "file:///etc", "../x"):
        body = {"name": "new.t", "location": location}
        assert server.post("/tables", body, status=400)["error"]["code"] == "location_refused"


def test_a_stream_that_fails_breaks_the_connection(folder: Path) -> None:
    """A segment and its manifest vanish between the first row and the last."""
    path = f"/tables/{PRIMARY_KEY}/entries"
    with served(folder) as running:
        last = running.rows(path)[-1]["manifest"].rsplit("/", 1)[-1]
        count = len(running.rows(path))
    # If only the segment were missing, the manifest would be decoded again.
    gone = [*_segments(folder, last), *folder.rglob(last)]
    assert len(gone) >= 2
    for file in gone:
        file.rename(file.with_name(file.name + ".gone"))
    try:
        with served(folder) as running:
            for media in (NDJSON, ARROW):
                received: list[bytes] = []
                with running.http.stream("GET", f"/api/v1{path}", headers={"Accept": media}) as answer:
                    assert answer.status_code == 200
                    with pytest.raises(httpx.RemoteProtocolError):
                        received.extend(answer.iter_bytes())
                assert received
                assert b'"end"' not in b"".join(received)
            assert running.http.get("/healthz").status_code == 200
            figures = running.http.get("/metrics").text
            assert "lakemuster_answers_broken_total 2.0" in figures
            page = running.http.get(f"/api/v1{path}", params={"page_size": count})
            assert page.status_code >= 500
            assert page.json()["error"]["code"] == "object_missing"
    finally:
        for file in gone:
            file.with_name(file.name + ".gone").rename(file)


def _segments(folder: Path, manifest: str, suffix: str = ".arrow") -> list[Path]:
    with sqlite3.connect(folder / "index.db") as database:
        rows = database.execute("SELECT segment FROM manifest WHERE location LIKE ?", (f"%{manifest}",)).fetchall()
    wanted = {name for (name,) in rows}
    found = [path for path in (folder / "segments").rglob(f"*{suffix}") if path.name.removesuffix(suffix) in wanted]
    assert found
    return found
