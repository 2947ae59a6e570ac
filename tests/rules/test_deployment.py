"""The files of deploy/ that start servers name existing settings and are valid for the programs that read them."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

from lakemuster.cli.serving import IDLE_SECONDS
from lakemuster.config import Settings
from tests.beside import python_of
from tests.certificates import write_certificate
from tests.tree import ROOT

DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "lakemuster"
HELM = "helm.sh/helm/v3/cmd/helm@v3.22.0"
KUBERNETES = ("1.30", "1.33")
SETTING = re.compile(r"\bLAKEMUSTER_([A-Z][A-Z_]+)\b")
NAMES = {name.upper() for name in Settings.model_fields}


def values() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
    return found


def test_every_setting_that_a_file_names_exists() -> None:
    named = {path: SETTING.findall(path.read_text()) for path in DEPLOY.rglob("*") if path.is_file()}
    assert {path.name for path, found in named.items() if found} >= {
        "compose.yml",
        "nginx.conf",
        "lakemuster.service",
        "values.yaml",
        "configmap.yaml",
    }
    assert {(path.name, name) for path, found in named.items() for name in found if name not in NAMES} == set()
    assert values()["settings"].keys() <= NAMES


def test_every_value_that_a_template_reads_is_in_the_chart_and_every_value_is_read() -> None:
    text = "\n".join(path.read_text() for path in (CHART / "templates").iterdir())
    read = {tuple(name.split(".")) for name in re.findall(r"\.Values\.([A-Za-z.]+)", text)}
    for place in read:
        found: Any = values()
        for name in place:
            assert name in found, place
            found = found[name]
    assert values().keys() == {place[0] for place in read}


def test_a_stop_is_waited_for_longer_than_it_takes() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yml").read_text())
    server = compose["services"]["lakemuster"]
    drain = int(server["environment"]["LAKEMUSTER_DRAIN_SECONDS"])
    assert int(server["stop_grace_period"].removesuffix("s")) >= drain + 40
    assert (server["read_only"], server["cap_drop"]) == (True, ["ALL"])
    unit = (DEPLOY / "lakemuster.service").read_text()
    (drained,) = re.findall(r"LAKEMUSTER_DRAIN_SECONDS=(\d+)", unit)
    (stopped,) = re.findall(r"TimeoutStopSec=(\d+)", unit)
    assert int(stopped) >= int(drained) + 40
    assert "KillMode=mixed" in unit  # only the supervisor signals the workers


def test_nginx_closes_idle_connections_before_the_server_does() -> None:
    (seconds,) = re.findall(r"\bkeepalive_timeout (\d+)s;", (DEPLOY / "nginx.conf").read_text())
    assert int(seconds) < IDLE_SECONDS


def test_copies_of_segments_fit_into_the_volume_of_a_pod() -> None:
    size, unit = re.fullmatch(r"(\d+)(Gi)", values()["cache"]["size"]).groups()  # type: ignore[union-attr]
    assert unit == "Gi"
    assert int(values()["settings"]["CACHE_BYTES"]) <= int(size) * 2**30 * 0.8


class Healthy(http.server.BaseHTTPRequestHandler):
    """Answers /healthz, and nothing else."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.mark.parametrize("has_tls", [False, True])
def test_the_health_check_of_the_image_succeeds_with_and_without_tls(tmp_path: Path, has_tls: bool) -> None:
    (line,) = re.findall(r"^HEALTHCHECK .*\\\n +CMD (.*)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    words = [sys.executable, *json.loads(line)[1:]]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Healthy)
    if has_tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*write_certificate(tmp_path, "pod"))
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    environment = os.environ | {"LAKEMUSTER_PORT": str(server.server_port)}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    finally:
        server.shutdown()
        server.server_close()
    assert subprocess.run(words, env=environment, capture_output=True, check=False).returncode != 0


@pytest.mark.slow
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "lakemuster.service"
    text = (DEPLOY / "lakemuster.service").read_text().replace("/opt/lakemuster/bin/lakemuster", "/bin/true")
    unit.write_text(text)
    assert verified(program, unit) == ""
    unit.write_text(text.replace("KillMode=mixed", "KillMode=unknown"))
    assert "kill mode" in verified(program, unit)


def verified(program: str, unit: Path) -> str:
    """Return the warnings of ``systemd-analyze`` about a unit file itself."""
    done = subprocess.run([program, "verify", str(unit)], capture_output=True, text=True, check=False)
    return "\n".join(line for line in done.stderr.splitlines() if str(unit) in line)


@pytest.mark.full
def test_helm_lints_and_renders_the_chart_and_kubernetes_schemas_accept_it(tmp_path: Path) -> None:
    command = [sys.executable, "-I", str(ROOT / "scripts" / "go_program.py"), HELM]
    built = subprocess.run(command, capture_output=True, text=True, check=True)
    helm = built.stdout.strip()
    linted = subprocess.run([helm, "lint", "--strict", str(CHART)], capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout
    validate = python_of("requirements-kubernetes.lock").with_name("kubernetes-validate")
    kinds: set[str] = set()
    for options in ("replicas=3", "tokensSecret=,drainSeconds=0", "ingress.enabled=true,ingress.tlsSecret=t"):
        words = [helm, "template", "lake", str(CHART), "--set", options]
        rendered = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        documents = [one for one in yaml.safe_load_all(rendered) if one]
        kinds |= {one["kind"] for one in documents}
        (pods,) = [one["spec"]["template"]["spec"] for one in documents if one["kind"] == "Deployment"]
        config = next(one["data"] for one in documents if one["kind"] == "ConfigMap")
        assert pods["terminationGracePeriodSeconds"] == int(config["LAKEMUSTER_DRAIN_SECONDS"]) + 40
        assert {name.removeprefix("LAKEMUSTER_") for name in config} <= NAMES
        place = tmp_path / "rendered.yaml"
        place.write_text(rendered)
        for version in KUBERNETES:
            checked = subprocess.run(
                [validate, "--strict", "-k", version, place], capture_output=True, text=True, check=False
            )
            assert checked.returncode == 0, checked.stdout + checked.stderr
    assert kinds == {"ConfigMap", "Job", "Deployment", "Service", "PodDisruptionBudget", "Ingress"}
