"""A plain HTTP server of files in memory: with ranges or without, with HEAD or without; no listings."""

from __future__ import annotations

import re
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote


class HttpFiles:
    """Serves ``files`` by literal path, without leading slash.

    Attributes:
        requests: what was asked: method, target as sent, and headers.
    """

    def __init__(self, *, ranges: bool = True, head: bool = True) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._serve()

            def do_HEAD(self) -> None:
                self._serve()

            def _serve(self) -> None:
                owner.requests.append((self.command, self.path, dict(self.headers.items())))
                data = owner.files.get(unquote(self.path).removeprefix("/"))
                if self.command == "HEAD" and not head:
                    return self._answer(405, b"")
                if data is None:
                    return self._answer(404, b"no such file")
                asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if ranges else None
                if asked is None:
                    return self._answer(200, data)
                start, end = int(asked[1]), int(asked[2] or len(data) - 1)
                more = {"Content-Range": f"bytes {start}-{min(end, len(data) - 1)}/{len(data)}"}
                return self._answer(206, data[start : end + 1], more)

            def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
                self.send_response(status)
                told = {"Last-Modified": formatdate(usegmt=True), "Accept-Ranges": "bytes" if ranges else "none"}
                for name, value in {**told, "Content-Length": str(len(body)), **(headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
