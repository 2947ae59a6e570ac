"""The image, built and run from the Dockerfile's own lines (``scripts/image.py``), as users start it.

If the machine offers no namespaces, or lacks the Python that the Dockerfile names, the same steps run in an ordinary
folder or with another Python, and ``test_everything_is_as_in_the_image`` is skipped with what remains untested.
"""

from __future__ import annotations

import ctypes
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lakemuster.api.identity.tokens import token_entry
from scripts.image_figures import LIMIT_BYTES, sizes
from tests.journey.servers import free_port
from tests.tree import ROOT

pytestmark = pytest.mark.timeout(900)  # the first build downloads the lock's wheels

SCRIPT = [sys.executable, str(ROOT / "scripts" / "image.py")]
SECONDS = 60.0
PAIMON = "append_09"
EXTRAS = {"adlfs", "azure", "gcsfs", "google", "hive_metastore", "opentelemetry", "pyiceberg", "pyspark", "thrift"}
"""Packages that the image's user may add."""


@dataclass(frozen=True)
class Image:
    """A built image."""

    folder: Path
    facts: dict[str, Any]
    asked_plain: bool

    @property
    def plain(self) -> bool:
        """Whether the image is an ordinary folder."""
        return bool(self.facts["plain"])

    def path(self, inside: str) -> str:
        """Return where programs find a path of the image."""
        return f"{self.folder}/root{inside}" if self.plain else inside

    def start(self, *words: str, volumes: tuple[str, ...] = (), entrypoint: str = "", **env: str) -> Container:
        """Start a container, as ``docker run`` does."""
        port = free_port() if self.plain else self.facts["ports"][0]
        options = [f"--volume={volume}" for volume in volumes]
        options += [f"--env={name}={value}" for name, value in {**env, "LAKEMUSTER_PORT": port}.items()]
        options += [f"--entrypoint={entrypoint}"] if entrypoint else []
        process = subprocess.Popen(
            [*SCRIPT, "run", str(self.folder), *options, "--", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Container(self, process, int(port))

    def run(self, *words: str, **more: Any) -> tuple[int, str]:
        """Run a container to its end; return exit status and output."""
        process = self.start(*words, **more).process
        output, _ = process.communicate(timeout=2 * SECONDS)
        return process.returncode, output

    def python(self, program: str, **more: Any) -> Any:
        """Run a program with the image's Python; return the JSON that it prints."""
        status, output = self.run("-c", program, entrypoint="python", **more)
        assert status == 0, output
        return json.loads(output)


@dataclass(frozen=True)
class Container:
    """A running container."""

    image: Image
    process: subprocess.Popen[str]
    port: int

    def execute(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the container, as ``docker exec`` does."""
        command = [*SCRIPT, "exec", str(self.image.folder), str(self.process.pid), f"--env=LAKEMUSTER_PORT={self.port}"]
        return subprocess.run([*command, "--", *words], capture_output=True, text=True, timeout=SECONDS, check=False)

    def await_health(self) -> None:
        """Wait until the image's health check succeeds."""
        until = time.monotonic() + SECONDS
        while (check := self.execute(*self.image.facts["healthcheck"])).returncode:
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < until, check.stderr
            time.sleep(0.2)

    def ask(self, method: str, path: str, token: str = "", body: object = None) -> tuple[int, Any]:
        """Send a request over the container's own network; return status and JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.sock = self._connected()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers["Content-Type"] = "application/json"
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text)

    def _connected(self) -> socket.socket:
        if self.image.plain:
            return socket.create_connection(("127.0.0.1", self.port), SECONDS)
        made: list[socket.socket] = []

        def connect() -> None:
            # A namespace belongs to a thread, and this one ends with the function. A socket stays in its namespace.
            with Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").open() as children:
                inside = children.read().split()[0]
            with Path(f"/proc/{inside}/ns/net").open() as network:
                assert ctypes.CDLL(None, use_errno=True).setns(network.fileno(), 0x40000000) == 0
            made.append(socket.create_connection(("127.0.0.1", self.port), SECONDS))

        thread = threading.Thread(target=connect)
        thread.start()
        thread.join()
        return made[0]

    def stop(self) -> str:
        """Stop the container, as ``docker stop`` does; return its output."""
        self.process.send_signal(signal.SIGTERM)
        output, _ = self.process.communicate(timeout=SECONDS)
        assert self.process.returncode in (0, -signal.SIGTERM, 128 + signal.SIGTERM), output
        return output


def built(folder: Path, *options: str) -> Image:
    """Execute the Dockerfile's steps in ``folder``."""
    done = subprocess.run([*SCRIPT, "build", str(folder), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return Image(folder, json.loads((folder / "image.json").read_text()), "--plain" in options)


@pytest.fixture(scope="module", params=["", pytest.param("--plain", marks=pytest.mark.full)])
def image(request, tmp_path_factory):
    return built(tmp_path_factory.mktemp("image"), *filter(None, [request.param]))


@pytest.fixture
def volume(tmp_path):
    """An empty volume for /data. Other users cannot access pytest's own folders."""
    made = tmp_path / "volume"
    made.mkdir()
    return made


def dockerfile(instruction: str) -> list[str]:
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [line.partition(" ")[2].strip() for line in text.splitlines() if line.startswith(f"{instruction} ")]


def listing(folder: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in folder.rglob("*")}


def test_everything_that_is_copied_is_there_and_is_let_through():
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    sources = {words.split()[0] for words in dockerfile("COPY") if not words.startswith("--from=build ")}
    assert sources == let_through
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_installs_hashed_wheels_and_runs_without_rights():
    install = dockerfile("RUN")[0]
    assert "--require-hashes" in install
    assert "--only-binary :all:" in install
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", dockerfile("USER")[0])
    assert dockerfile("VOLUME") == dockerfile("WORKDIR") == ["/data"]


@pytest.mark.parametrize("line", ["ADD app /app", "COPY tests /opt/tests", "COPY --chown=1 app /app"])
def test_a_line_that_the_script_cannot_do_is_an_error(tmp_path, line):
    for name in ("Dockerfile", ".dockerignore", "requirements-server.lock"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    text = (tmp_path / "Dockerfile").read_text()
    (tmp_path / "Dockerfile").write_text(re.sub(r"(?m)^FROM (\S+) AS build\n", rf"FROM \1\n{line}\nFROM \1\n", text))
    (tmp_path / "scripts").mkdir()
    for name in ("container.py", "image.py", "pythons.py"):
        (tmp_path / "scripts" / name).write_text((ROOT / "scripts" / name).read_text())
    done = subprocess.run(
        [sys.executable, tmp_path / "scripts" / "image.py", "build", tmp_path / "image"],
        env={**os.environ, "MUSTER_BUILD_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert line.split()[0] in done.stderr
    assert not (tmp_path / "image" / "image.json").exists()


def test_everything_is_as_in_the_image(image):
    if image.asked_plain:
        assert {"a user without rights", "a read-only root"} < set(image.facts["not_shown"])
    elif image.facts["not_shown"]:
        pytest.skip(f"not shown on this machine: {'; '.join(image.facts['not_shown'])}")
    named = re.search(r"PYTHON=(\d+\.\d+)", dockerfile("ARG")[0])
    version = image.python("import json, sys; print(json.dumps('%d.%d' % sys.version_info[:2]))")
    assert version == named[1]


def test_it_is_an_ordinary_user_who_writes_to_the_volume_only(image, volume):
    program = """
import json, os, pathlib
def writes(folder):
    try:
        (pathlib.Path(folder) / "written").touch()
    except OSError as problem:
        return problem.errno
    return True
folders = ["/", "/opt", "/opt/lakemuster/app/lakemuster", "/opt/venv/bin", "/etc", "/tmp", "/usr/local/lib", "/var"]
rights = [line for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm"))]
print(json.dumps({
    "ids": [os.getuid(), os.getgid(), os.getgroups(), os.getpid()],
    "rights": [int(line.split()[1], 16) for line in rights],
    "data": writes("."), "folder": os.getcwd(), "others": [writes(folder) for folder in folders if os.getpid() == 1],
    "tmp": pathlib.Path("/tmp").stat().st_mode & 0o7777,
}))
"""
    said = image.python(program, volumes=(f"{volume}:/data",))
    if image.plain:  # test_everything_is_as_in_the_image reports it
        assert (said["ids"][0], said["data"], (volume / "written").exists()) == (os.getuid(), True, True)
        return
    read_only, refused = 30, 13
    assert said["ids"] == [10001, 10001, [], 1]
    assert said["rights"] == [0, 0]
    assert (said["data"], said["folder"]) == (True, "/data")
    assert set(said["others"]) <= {read_only, refused}
    assert said["tmp"] == 0o1777  # the mode allows all users; the read-only root forbids it
    assert said["others"][5] == read_only
    assert (volume / "written").stat().st_uid == 10001


def test_it_refuses_the_network_without_tokens(image):
    status, output = image.run()
    assert status == 1
    assert "TOKENS" in output
    assert len(output.splitlines()) == 1


def test_it_has_the_drivers_of_postgresql_and_s3_and_nothing_for_tests(image):
    program = """
import importlib.util as u, json, psycopg, s3fs
print(json.dumps([n for n in ("pip", "pytest", "pyiceberg", "moto", "mypy", "hypothesis") if u.find_spec(n)]))
"""
    assert image.python(program) == []


def test_it_holds_no_more_than_it_needs_and_what_it_needs_works(image):
    by_name = sizes(image.folder)
    assert sum(by_name.values()) < LIMIT_BYTES, list(by_name.items())[:12]
    assert sum(by_name.values()) > LIMIT_BYTES * 0.8  # else lower the limit
    packages = next((image.folder / "root/opt/venv/lib").glob("python3*")) / "site-packages"
    left = [path for name in ("tests", "include") for path in packages.rglob(name) if ".dist-info" not in str(path)]
    assert left == []
    assert [str(path) for path in packages.rglob("*.py") if not list((path.parent / "__pycache__").glob("*"))] == []
    program = """
import importlib, io, json, pkgutil
import botocore.session, lakemuster, pyarrow as pa, pyarrow.compute as pc, zstandard
from pyarrow import csv, fs, orc, parquet
table, found = pa.table({"id": [1, 2, 3]}), []
for writer, reader in ((parquet.write_table, parquet.read_table), (orc.write_table, orc.read_table),
                       (csv.write_csv, csv.read_csv)):
    buffer = io.BytesIO()
    writer(table, buffer)
    found.append(reader(io.BytesIO(buffer.getvalue())).column("id").to_pylist())
found.append(zstandard.decompress(zstandard.compress(bytes([1, 2, 3]))))
session = botocore.session.Session()
clients = [session.create_client(name, "eu-west-1") for name in ("s3", "sts", "sso", "sso-oidc", "signin", "glue")]
missing = []
for module in pkgutil.walk_packages(lakemuster.__path__, "lakemuster."):
    try:
        module.name.endswith("__main__") or importlib.import_module(module.name)
    except ModuleNotFoundError as cause:
        missing.append(cause.name.partition(".")[0])
print(json.dumps([list(map(list, found)), pc.sum(table["id"]).as_py(), len(clients), sorted(set(missing))]))
"""
    columns, total, clients, missing = image.python(program)
    assert columns == [[1, 2, 3]] * 4
    assert (total, clients) == (6, 6)
    assert set(missing) <= EXTRAS


def test_it_serves_the_demo_lake_and_writes_to_its_volume_only(image, volume):
    before = listing(image.folder / "root" / "opt")
    container = image.start("serve", "--demo", "--insecure-public", volumes=(f"{volume}:/data",))
    try:
        assert container.execute(*image.facts["healthcheck"]).returncode != 0
        container.await_health()
        assert len(container.ask("GET", "/api/v1/tables")[1]["tables"]) == 8
        assert container.ask("GET", "/readyz")[0] == 200
        container.stop()
    finally:
        container.process.kill()
    assert listing(image.folder / "root" / "opt") == before
    assert {path.name for path in volume.iterdir()} == {".lakemuster"}


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, image):
    """The settings and volumes of a database."""
    if request.param == "sqlite":
        yield {}, ()
        return
    server = request.getfixturevalue("postgres_server")
    with server.database() as url:
        if image.plain:
            yield {"LAKEMUSTER_DATABASE_URL": url}, ()
            return
        inside = "/run/postgresql"
        # Only the socket is mounted, because other users cannot access its folder.
        mounted = f"{server.socket}:{inside}/{server.socket.name}"
        yield {"LAKEMUSTER_DATABASE_URL": re.sub(r"host=.*", f"host={inside}", url)}, (mounted,)


def golden(table: str, snapshot: str) -> list[dict[str, Any]]:
    stored: dict[str, Any] = json.loads((ROOT / "tests" / "golden" / "lakes.json").read_text())
    files: list[dict[str, Any]] = stored[table]["snapshots"][snapshot]["files"]
    return files


def files_of(plan: dict[str, Any], folder: str) -> list[str]:
    """Return the names of a plan's files, all of which must be below one folder."""
    paths = [file["file_path"].removeprefix("file://") for file in plan["files"]]
    assert all(path.startswith(f"{folder}/") for path in paths), paths
    return [path.rpartition("/")[2] for path in paths]


def test_it_migrates_serves_and_plans_real_tables(image, volume, database, lakes):
    settings, volumes = database
    tokens = token_entry("operator", "operator-secret", "admin") + token_entry("reader", "reader-secret")
    (volume / "tokens.toml").write_text(tokens)
    if not image.plain:
        os.chown(volume, 10001, 10001)
        (volume / "tokens.toml").chmod(0o644)
    inside = image.path("/lakes")
    volumes = (f"{volume}:/data", f"{lakes}:/lakes:ro", *volumes)
    settings = {**settings, "LAKEMUSTER_TOKENS": image.path("/data/tokens.toml"), "LAKEMUSTER_ROOTS": inside}
    status, output = image.run("migrate", volumes=volumes, **settings)
    assert status == 0, output
    container = image.start(volumes=volumes, **settings)
    try:
        container.await_health()
        paimon = {"name": "shop.dated", "location": f"{inside}/paimon/parquet/{PAIMON}.db/{PAIMON}"}
        iceberg = {"name": "shop.numbered", "location": f"{inside}/iceberg/partition_integer"}
        iceberg |= {"rewrite": [{"old": "data/persistent", "new": f"{inside}/iceberg"}]}
        for table, places in ((paimon, f"paimon.parquet.{PAIMON}.{PAIMON}"), (iceberg, "iceberg.partition_integer")):
            name = table["name"]
            assert container.ask("POST", "/api/v1/tables", "reader-secret", table)[0] == 403
            status, answer = container.ask("POST", "/api/v1/tables", "operator-secret", table)
            assert status == 201, answer
            status, answer = container.ask("POST", f"/api/v1/tables/{name}/refresh", "operator-secret", {})
            assert status == 200, answer
            assert container.ask("POST", f"/api/v1/tables/{name}/plan", body={})[0] == 401
            status, plan = container.ask("POST", f"/api/v1/tables/{name}/plan", "reader-secret", {})
            assert status == 200, plan
            files = golden(places, plan["snapshot_id"])
            assert set(files_of(plan, inside)) == {file["file"] for file in files}
            column, value = next(iter(files[0]["partition"].items()))
            body = {"filter": f"{column} = {value}"}
            status, plan = container.ask("POST", f"/api/v1/tables/{name}/plan", "reader-secret", body)
            assert status == 200, plan
            assert set(files_of(plan, inside)) == {f["file"] for f in files if f["partition"][column] == value}
            assert 0 < len(plan["files"]) < len(files)
        container.stop()
    finally:
        container.process.kill()
    kept = {path.name for path in (volume / ".lakemuster").iterdir()}
    assert ("index.db" in kept) == (not settings.get("LAKEMUSTER_DATABASE_URL"))
