"""A metric reports a kernel that fails to load."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from lakemuster.kernels import states


def test_a_kernel_that_does_not_load_is_a_metric(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "_loads", {"formats.avro.native": False, "wire.json_kernel": True})
    text = client.get("/metrics").text
    assert 'lakemuster_kernels_missing{kernel="formats.avro.native"} 1.0\n' in text
    assert 'lakemuster_kernels_missing{kernel="wire.json_kernel"} 0.0\n' in text
