"""A server that emulates several object stores over one folder, and delays every response.

``python -m benchmarks.far_store FOLDER``. It implements the requests for reading: an object, its length, and a
folder's listing; it checks no signatures. The folder is the bucket ``lake`` of S3, of Google Cloud Storage's JSON API
and of plain HTTP, the container ``lake`` of the account ``far`` of Azure Blob Storage, and the root of a WebHDFS
cluster, with name node and data node on this server. The first line that it prints is its port.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

_CHANGED_SECONDS = 1_704_067_200
_CHANGED_TEXT = "2024-01-01T00:00:00.000Z"
_CHANGED_HEADER = formatdate(_CHANGED_SECONDS, usegmt=True)


class Handler(BaseHTTPRequestHandler):
    """Serves the folder."""

    protocol_version = "HTTP/1.1"
    # As object stores do: the head and body of a response are not delayed by acknowledgements.
    disable_nagle_algorithm = True
    folder: Path
    delay_seconds: float

    def do_GET(self) -> None:
        """Send an object or a listing, after the delay."""
        time.sleep(self.delay_seconds)
        url = urlsplit(self.path)
        question = {name: values[0] for name, values in parse_qs(url.query).items()}
        path = unquote(url.path)
        if path.startswith("/storage/v1/b/lake/o"):
            self._google(path.removeprefix("/storage/v1/b/lake/o").removeprefix("/"), question.get("prefix", ""))
        elif path.startswith("/download/storage/v1/b/lake/o/"):
            self._object(path.removeprefix("/download/storage/v1/b/lake/o/"))
        elif path.startswith("/webhdfs/v1/"):
            self._name_node(path.removeprefix("/webhdfs/v1/"), question["op"])
        elif path.startswith("/data/"):
            self._object(path.removeprefix("/data/"))
        elif question.get("comp") == "list":
            self._answer(200, _azure_listing(self.folder, question.get("prefix", "")), "application/xml")
        elif path.startswith("/far/lake/"):
            self._azure(path.removeprefix("/far/lake/"))
        elif "list-type" in question:
            self._answer(200, _s3_listing(self.folder, question.get("prefix", "")), "application/xml")
        else:
            self._object(path.removeprefix("/lake/"))

    def do_HEAD(self) -> None:
        """Send an object's length, after the delay."""
        time.sleep(self.delay_seconds)
        path = unquote(urlsplit(self.path).path)
        self._object(path.removeprefix("/far").removeprefix("/lake/"), {"x-ms-blob-type": "BlockBlob"})

    def _object(self, key: str, more: Mapping[str, str] | None = None) -> None:
        file = self.folder / key
        if file.is_file():
            self._answer(200, file.read_bytes(), "application/octet-stream", more)
        else:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>", "application/xml")

    def _google(self, key: str, prefix: str) -> None:
        if key:
            file = self.folder / key
            found = _google_item(key, file) if file.is_file() else None
            self._answer(404 if found is None else 200, json.dumps(found).encode(), "application/json")
            return
        below = list(_below(self.folder, prefix))
        items = [_google_item(name, path) for name, path in below if path.is_file()]
        prefixes = [f"{name}/" for name, path in below if path.is_dir()]
        self._answer(200, json.dumps({"items": items, "prefixes": prefixes}).encode(), "application/json")

    def _azure(self, key: str) -> None:
        file = self.folder / key
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("x-ms-range", ""))
        if asked is None or not file.is_file():
            self._object(key, {"x-ms-blob-type": "BlockBlob"})
            return
        size = file.stat().st_size
        if not size:
            self._answer(416, b"<Error><Code>InvalidRange</Code></Error>", "application/xml")
            return
        start, end = int(asked[1]), min(int(asked[2] or size), size - 1)
        with file.open("rb") as opened:
            opened.seek(start)
            data = opened.read(end + 1 - start)
        told = {"x-ms-blob-type": "BlockBlob", "Content-Range": f"bytes {start}-{end}/{size}"}
        self._answer(206, data, "application/octet-stream", told)

    def _name_node(self, key: str, operation: str) -> None:
        file = self.folder / key
        if operation == "OPEN" and file.is_file():
            self._answer(307, b"", "text/plain", {"Location": f"http://{self.headers['Host']}/data/{quote(key)}"})
        elif operation == "GETFILESTATUS" and file.exists():
            self._answer(200, json.dumps({"FileStatus": _hdfs_status("", file)}).encode(), "application/json")
        elif operation == "LISTSTATUS" and file.exists():
            paths = sorted(file.iterdir()) if file.is_dir() else []
            statuses = [_hdfs_status(path.name, path) for path in paths] or [_hdfs_status("", file)]
            listed = {"FileStatuses": {"FileStatus": statuses}}
            self._answer(200, json.dumps(listed).encode(), "application/json")
        else:
            told = {"RemoteException": {"exception": "FileNotFoundException", "message": "no such file"}}
            self._answer(404, json.dumps(told).encode(), "application/json")

    def _answer(self, status: int, body: bytes, kind: str, more: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        told = {"Content-Type": kind, "Content-Length": str(len(body)), "Last-Modified": _CHANGED_HEADER}
        for name, value in (told | dict(more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Suppress log messages."""


def _below(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    """Yield the keys and paths of the children of a folder."""
    for path in sorted((folder / prefix).iterdir()) if (folder / prefix).is_dir() else []:
        yield f"{prefix.rstrip('/')}/{path.name}".lstrip("/"), path


def _google_item(key: str, file: Path) -> dict[str, str]:
    return {"name": key, "size": str(file.stat().st_size), "updated": _CHANGED_TEXT}


def _hdfs_status(name: str, path: Path) -> dict[str, object]:
    kind, size = ("DIRECTORY", 0) if path.is_dir() else ("FILE", path.stat().st_size)
    return {"pathSuffix": name, "type": kind, "length": size, "modificationTime": _CHANGED_SECONDS * 1000}


def _s3_listing(folder: Path, prefix: str) -> bytes:
    rows = [
        f"<CommonPrefixes><Prefix>{escape(key)}/</Prefix></CommonPrefixes>"
        if path.is_dir()
        else f"<Contents><Key>{escape(key)}</Key><Size>{path.stat().st_size}</Size>"
        f"<LastModified>{_CHANGED_TEXT}</LastModified></Contents>"
        for key, path in _below(folder, prefix)
    ]
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{''.join(rows)}</ListBucketResult>".encode()


def _azure_listing(folder: Path, prefix: str) -> bytes:
    rows = [
        f"<BlobPrefix><Name>{escape(key)}/</Name></BlobPrefix>"
        if path.is_dir()
        else f"<Blob><Name>{escape(key)}</Name><Properties><Last-Modified>{_CHANGED_HEADER}</Last-Modified>"
        f"<Content-Length>{path.stat().st_size}</Content-Length><BlobType>BlockBlob</BlobType></Properties></Blob>"
        for key, path in _below(folder, prefix)
    ]
    return f"<EnumerationResults><Blobs>{''.join(rows)}</Blobs><NextMarker/></EnumerationResults>".encode()


class Server(ThreadingHTTPServer):
    """A server with one thread per connection, without a limit."""

    request_queue_size = 128
    daemon_threads = True


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="benchmarks.far_store", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--delay", type=float, default=0.1, help="seconds before an answer begins")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    Handler.folder, Handler.delay_seconds = given.folder, given.delay
    with Server(("127.0.0.1", given.port), Handler) as server:
        sys.stdout.write(f"{server.server_address[1]}\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
