"""An S3 server of one folder in which every GET takes its time: ``python -m benchmarks.far_store FOLDER``.

Of S3's protocol it speaks what reading needs: GET and HEAD of an object, and listing a folder; it checks no
signature. The same of Google Cloud Storage's JSON API. The first line that it prints is its port.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape


class Handler(BaseHTTPRequestHandler):
    """Serves the folder as the bucket ``lake``."""

    protocol_version = "HTTP/1.1"
    folder: Path
    delay_seconds: float

    def do_GET(self) -> None:
        """An object, or a listing, after the delay."""
        time.sleep(self.delay_seconds)
        url = urlsplit(self.path)
        question = parse_qs(url.query)
        if url.path.startswith(("/storage/v1/b/lake/o", "/download/storage/v1/b/lake/o/")):
            self._google(url.path, question)
        elif "list-type" in question:
            self._answer(200, self._listing(question.get("prefix", [""])[0]), "application/xml")
        else:
            self._object(url.path)

    def do_HEAD(self) -> None:
        """An object's length, after the delay."""
        time.sleep(self.delay_seconds)
        self._object(urlsplit(self.path).path)

    def _google(self, path: str, question: dict[str, list[str]]) -> None:
        key = unquote(path.partition("/b/lake/o")[2]).removeprefix("/")
        if path.startswith("/download/"):
            self._object(f"/lake/{quote(key)}")
            return
        if key:
            file = self.folder / key
            found = _google_item(key, file) if file.is_file() else None
            self._answer(404 if found is None else 200, json.dumps(found).encode(), "application/json")
            return
        prefix = question.get("prefix", [""])[0]
        folder = self.folder / prefix
        paths = sorted(folder.iterdir()) if folder.is_dir() else []
        names = {path: f"{prefix.rstrip('/')}/{path.name}" for path in paths}
        items = [_google_item(name, path) for path, name in names.items() if path.is_file()]
        prefixes = [f"{name}/" for path, name in names.items() if path.is_dir()]
        self._answer(200, json.dumps({"items": items, "prefixes": prefixes}).encode(), "application/json")

    def _object(self, path: str) -> None:
        file = self.folder / unquote(path).removeprefix("/lake/")
        if file.is_file():
            self._answer(200, file.read_bytes(), "application/octet-stream")
        else:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>", "application/xml")

    def _listing(self, prefix: str) -> bytes:
        folder = self.folder / prefix
        rows = []
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            key = escape(f"{prefix.rstrip('/')}/{path.name}")
            if path.is_dir():
                rows.append(f"<CommonPrefixes><Prefix>{key}/</Prefix></CommonPrefixes>")
            else:
                rows.append(
                    f"<Contents><Key>{key}</Key><Size>{path.stat().st_size}</Size>"
                    "<LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
                )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{''.join(rows)}</ListBucketResult>".encode()

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", formatdate(1_704_067_200, usegmt=True))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def _google_item(key: str, file: Path) -> dict[str, str]:
    return {"name": key, "size": str(file.stat().st_size), "updated": "2024-01-01T00:00:00.000Z"}


class Server(ThreadingHTTPServer):
    """One thread per connection, for any number of connections."""

    request_queue_size = 128
    daemon_threads = True


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="benchmarks.far_store", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--delay", type=float, default=0.1, help="seconds before an answer begins")
    given = parser.parse_args()
    Handler.folder, Handler.delay_seconds = given.folder, given.delay
    with Server(("127.0.0.1", 0), Handler) as server:
        sys.stdout.write(f"{server.server_address[1]}\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
