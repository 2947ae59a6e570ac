"""HDFS 3.3.6: a cluster of one name node and one data node with WebHDFS, on free ports of 127.0.0.1.

Maven downloads its jars (``requirements-hdfs.jars``) on first use. It needs a JDK 17.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import quote

import pytest
import requests

from tests.beside import jars_of
from tests.counterparts.processes import JAVA_OPTIONS, started
from tests.object_stores import Bucket
from tests.tree import ROOT

_FOLDERS = count(1)


@dataclass(frozen=True)
class Cluster:
    """A running cluster.

    Attributes:
        webhdfs: the URL of the name node's web server.
        url: the URL of the filesystem, ``hdfs://host:port``.
    """

    webhdfs: str
    url: str

    @property
    def storage(self) -> dict[str, dict[str, Any]]:
        """The ``STORAGE`` setting for the cluster."""
        return {"hdfs": {"webhdfs": self.webhdfs, "user": "lake"}}


def new_folder(cluster: Cluster, name: str | None = None) -> Bucket:
    """Return a new folder, which tests write over WebHDFS with ``requests``."""
    folder = name or f"lake-{next(_FOLDERS)}"

    def asked(method: str, key: str, operation: str, data: bytes | None = None) -> Any:
        url = f"{cluster.webhdfs}/webhdfs/v1/{folder}/{quote(key)}?user.name=lake&op={operation}"
        answer = requests.request(method, url, timeout=60, allow_redirects=False)
        if "Location" in answer.headers:
            answer = requests.request(method, answer.headers["Location"], data=data, timeout=60)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def below(path: str) -> Iterator[str]:
        for one in asked("GET", path, "LISTSTATUS")["FileStatuses"]["FileStatus"]:
            name = f"{path}/{one['pathSuffix']}".strip("/")
            yield from below(name) if one["type"] == "DIRECTORY" else [name]

    asked("PUT", "", "MKDIRS")
    return Bucket(
        f"{cluster.url}/{folder}",
        cluster.storage,
        lambda key, data: asked("PUT", key, "CREATE&overwrite=true", data),
        lambda key: asked("DELETE", key, "DELETE"),
        lambda: list(below("")),
    )


@pytest.fixture(scope="session")
def hdfs_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster that runs for the test session."""
    folder = tmp_path_factory.mktemp("hdfs")
    path = os.pathsep.join([str(folder), *jars_of("requirements-hdfs.jars")])
    source = ROOT / "tests/java_hdfs/LoopbackCluster.java"
    subprocess.run(["javac", "-nowarn", "-d", folder, "-cp", path, source], check=True)
    opened = ["--add-opens=java.base/java.lang=ALL-UNNAMED"]
    command = ["java", "-Xmx512m", *JAVA_OPTIONS, *opened, "-cp", path, "LoopbackCluster", str(folder / "data")]
    ready = r"WebHDFS is at (http://127\.0\.0\.1:\d+) of (hdfs://127\.0\.0\.1:\d+)"
    with started(command, folder / "hdfs.log", ready) as running:
        yield Cluster(running.ready[1], running.ready[2])


@pytest.fixture
def hdfs_folder(hdfs_cluster: Cluster) -> Bucket:
    """A new folder of HDFS."""
    return new_folder(hdfs_cluster)
