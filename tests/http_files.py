"""An HTTP server of files in memory: ranges and HEAD are optional, and there are no listings."""

from __future__ import annotations

import re
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote

from tests.loopback_http import LoopbackServer


class HttpFiles(LoopbackServer):
    """Serves ``files`` by literal path without a leading slash."""

    def __init__(self, *, ranges: bool = True, head: bool = True) -> None:
        self.files: dict[str, bytes] = {}
        files = self.files

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._serve()

            def do_HEAD(self) -> None:
                self._serve()

            def _serve(self) -> None:
                data = files.get(unquote(self.path).removeprefix("/"))
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

        super().__init__(Handler)
