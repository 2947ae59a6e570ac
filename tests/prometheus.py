"""Prometheus for tests: promtool, and a server. Debian's package is downloaded on first use."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from tests.counterparts.processes import started
from tests.tree import ROOT


@cache
def program(name: str) -> str:
    """Return the path of ``prometheus`` or ``promtool``."""
    if found := shutil.which(name):
        return found
    command = [sys.executable, "-I", str(ROOT / "scripts" / "debian.py"), "prometheus"]
    brought = subprocess.run(command, capture_output=True, text=True, check=False)
    if brought.returncode:
        raise RuntimeError(brought.stderr)
    return str(Path(brought.stdout.strip()) / "usr" / "bin" / name)


def promtool(*words: str, given: bytes = b"") -> tuple[int, str]:
    """Run promtool, and return its exit status and output."""
    done = subprocess.run([program("promtool"), *words], input=given, capture_output=True, check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


class Prometheus:
    """A running Prometheus."""

    def __init__(self, uri: str) -> None:
        self._http = httpx.Client(base_url=uri, timeout=60)

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the current result of an expression."""
        answer = self._http.get("/api/v1/query", params={"query": expression}).json()
        assert answer["status"] == "success", (expression, answer)
        found: list[dict[str, Any]] = answer["data"]["result"]
        return found

    def rules(self) -> list[dict[str, Any]]:
        """Return the loaded rules, with the state of their evaluation."""
        groups = self._http.get("/api/v1/rules").json()["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]


@contextmanager
def prometheus(folder: Path, port: int, target: str, rules: Path) -> Iterator[Prometheus]:
    """Run Prometheus, which scrapes ``target`` (host and port) and evaluates ``rules`` each second.

    Args:
        port: a free port of 127.0.0.1.
    """
    folder.mkdir()
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [{"job_name": "lakemuster", "static_configs": [{"targets": [target]}]}],
    }
    (folder / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
    command = [
        program("prometheus"),
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with started(command, folder / "prometheus.log", "Server is ready to receive web requests"):
        yield Prometheus(f"http://127.0.0.1:{port}")
