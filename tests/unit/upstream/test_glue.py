"""Glue: records that are tables, and incomplete responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import TableNotFound, UpstreamFailed
from lakemuster.upstream.glue import GlueCatalog
from tests.loopback_http import listening

ICEBERG = {"table_type": "ICEBERG", "metadata_location": "s3://lake/1"}
TABLE = {"Name": "t", "Parameters": ICEBERG}


@contextmanager
def glue(replies: Mapping[str, list[object]]) -> Iterator[GlueCatalog]:
    """Serve Glue responses: the documents of each operation in order, the last one repeatedly."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            operation = self.headers["x-amz-target"].rpartition(".")[2]
            left = replies[operation]
            body = json.dumps(left.pop(0) if len(left) > 1 else left[0]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with listening(Handler) as port:
        settings = {"glue.endpoint": f"http://127.0.0.1:{port}", "glue.region": "us-east-1"}
        settings |= {"glue.access-key-id": "key", "glue.secret-access-key": "secret", "glue.max-retries": "1"}
        yield GlueCatalog("prod", CatalogSettings.model_validate({"type": "glue", **settings}))


def test_every_page_is_listed_and_only_iceberg_tables_are() -> None:
    other = {"Name": "o", "Parameters": {"table_type": "hudi"}}
    replies: dict[str, list[object]] = {
        "GetDatabases": [{"DatabaseList": [{"Name": "a"}], "NextToken": "1"}, {"DatabaseList": [{"Name": "b"}]}],
        "GetTables": [
            {"TableList": [TABLE, {"Name": "view"}], "NextToken": "1"},
            {"TableList": [{**TABLE, "Name": "u", "Parameters": {**ICEBERG, "table_type": "iceberg"}}]},
            {"TableList": [other]},
        ],
    }
    with glue(replies) as catalog:
        assert list(catalog.every_table()) == [("a", "t"), ("a", "u")]


@pytest.mark.parametrize(
    "replies",
    [
        {"GetDatabases": [{}]},
        {"GetDatabases": [{"DatabaseList": [{}]}]},
        {"GetDatabases": [{"DatabaseList": [], "NextToken": "same"}]},
        {"GetDatabases": [{"DatabaseList": [{"Name": "a"}]}], "GetTables": [{}]},
        {"GetDatabases": [{"DatabaseList": [{"Name": "a"}]}], "GetTables": [{"TableList": [{"Parameters": ICEBERG}]}]},
        {"GetDatabases": [{"DatabaseList": [{"Name": 7}]}], "GetTables": [{"TableList": [TABLE]}]},
        {"GetDatabases": [{"DatabaseList": [], "NextToken": {"a": 1}}]},
        {
            "GetDatabases": [{"DatabaseList": [{"Name": "a"}]}],
            "GetTables": [{"TableList": [{**TABLE, "Parameters": 7}]}],
        },
        {"GetDatabases": [{"DatabaseList": [{"Name": "a"}]}], "GetTables": [{"TableList": [{**TABLE, "Name": {}}]}]},
    ],
)
def test_a_list_that_is_none_is_not_an_empty_one(replies: dict[str, list[object]]) -> None:
    with glue(replies) as catalog, pytest.raises(UpstreamFailed):
        list(catalog.every_table())


def test_a_record_in_place_of_a_table_is_none() -> None:
    for record in (
        {**TABLE, "Name": "T"},
        {**TABLE, "DatabaseName": "A"},
        {"Name": "t"},
        {**TABLE, "Parameters": {"table_type": "ICEBERG_VIEW"}},
        {**TABLE, "Parameters": {**ICEBERG, "table_type": 7}},
    ):
        with glue({"GetTable": [{"Table": record}]}) as catalog, pytest.raises(TableNotFound):
            catalog.pointer(("a", "t"))
    for answer in (
        {},
        {"Table": 7},
        {"Table": {**TABLE, "Parameters": {"table_type": "ICEBERG"}}},
        {"Table": {**TABLE, "Parameters": {**ICEBERG, "metadata_location": 7}}},
    ):
        with glue({"GetTable": [answer]}) as catalog, pytest.raises(UpstreamFailed):
            catalog.pointer(("a", "t"))
    for record in (TABLE, {**TABLE, "DatabaseName": "a"}, {**TABLE, "DatabaseName": "target of a link"}):
        with glue({"GetTable": [{"Table": record}]}) as catalog:
            assert catalog.pointer(("a", "t")) == "s3://lake/1"
