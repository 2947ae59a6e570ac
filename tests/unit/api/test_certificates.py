"""Certificates that cannot be used are refused with the reason, and shown by a metric."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.api.certificates import is_usable, load_certificate
from lakemuster.api.measured import count_reloads
from lakemuster.api.metrics import Metrics
from lakemuster.config import Settings
from lakemuster.errors import ConfigInvalid
from tests.certificates import write_certificate


def test_a_wrong_certificate_stops_the_start(tmp_path: Path) -> None:
    cert, key = write_certificate(tmp_path)
    (tmp_path / "other").mkdir()
    _, other = write_certificate(tmp_path / "other", "other")
    (text := tmp_path / "text").write_text("not PEM", "utf-8")
    assert is_usable(str(cert), str(key))
    for pair, reason in (
        ((cert, cert), "not PEM files"),
        ((text, key), "not PEM files"),
        ((cert, other), "the key does not belong to the certificate"),
        ((tmp_path / "none", key), "No such file"),
        ((cert, tmp_path), ""),
    ):
        with pytest.raises(ConfigInvalid, match=f"TLS_CERT.*{reason}"):
            load_certificate(*map(str, pair))
        assert not is_usable(*map(str, pair))


def test_a_metric_shows_whether_the_newest_certificate_is_usable(tmp_path: Path) -> None:
    cert, key = write_certificate(tmp_path)
    metrics = Metrics(None)
    count_reloads(metrics, None, Settings(tls_cert=str(cert), tls_key=str(key)))
    assert shown(metrics) == 1
    whole = cert.read_bytes()
    cert.write_bytes(whole[: len(whole) // 2])
    assert shown(metrics) == 0
    cert.write_bytes(whole)
    assert shown(metrics) == 1


def shown(metrics: Metrics) -> float:
    name = 'lakemuster_last_reload_successful{file="certificate"} '
    (line,) = (line for line in metrics.text().decode().splitlines() if line.startswith(name))
    return float(line.removeprefix(name))
