"""The metadata that a table is read with."""

from __future__ import annotations

import httpx

from lakemuster.spark.reading.model import TableToRead
from lakemuster.spark.snapshot_pin import with_newest
from tests.unit.client.answers import Server, page

INFO = {"name": "a.b", "location": "s3://lake/b", "registered_at": "2024-05-01T00:00:00Z"}


def test_a_stream_reads_newer_files_with_newer_metadata():
    pinned = TableToRead("a.b", "iceberg", {"schema_id": 0}, (), (), {"mapping": "old"}, (), ("id",))
    moved = [{"old": "s3://lake/a", "new": "s3://lake/b"}]
    now = {**INFO, "format": "iceberg", "properties": {"mapping": "new"}, "rewrite": moved}
    schemas, specs = [{"schema_id": 0}, {"schema_id": 1}], [{"spec_id": 0}]
    server = Server(httpx.Response(200, json=now), page("schemas", schemas), page("specs", specs))
    with server.client() as client:
        read = with_newest(pinned, client.table("a.b"))
    assert (read.schema, read.columns) == (pinned.schema, pinned.columns)
    assert (read.schemas, read.specs) == (tuple(schemas), tuple(specs))
    assert (read.properties, read.rewrites) == ({"mapping": "new"}, (("s3://lake/a", "s3://lake/b"),))


def test_a_stream_keeps_the_options_of_its_schema_in_paimon():
    pinned = TableToRead("a.b", "paimon", {"schema_id": 0, "options": {"bucket": "1"}}, (), (), {}, (), ("id",))
    info = httpx.Response(200, json={**INFO, "format": "paimon", "properties": {"bucket": "2"}})
    with Server(info, page("schemas", []), page("specs", [])).client() as client:
        assert with_newest(pinned, client.table("a.b")).properties == {"bucket": "1"}
