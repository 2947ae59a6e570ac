"""Log lines about plans."""

from __future__ import annotations

import logging

import pytest
from fastapi.testclient import TestClient

pytestmark = pytest.mark.usefixtures("store")


def test_a_plan_id_which_holds_a_filter_is_not_logged(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "lakemuster.access"):
        client.get("/iceberg/v1/namespaces/shop/tables/orders/plan/c2VjcmV0")
    assert "/namespaces/shop/tables/orders/plan/{plan-id}" in caplog.text
    assert "c2VjcmV0" not in caplog.text
