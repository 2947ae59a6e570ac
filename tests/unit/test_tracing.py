"""The tracing port records nothing until a tracer is installed."""

from __future__ import annotations

import subprocess
import sys

from lakemuster import tracing


def test_spans_do_nothing_without_a_tracer() -> None:
    with tracing.span("look", table="a.b") as span:
        span.set(objects=3)
        span.rename("other")
        span.fail("storage_unavailable")
    with tracing.request("GET", {"traceparent": "00-1"}) as request:
        assert request is span
    begun = tracing.begin("fetch")
    begun.end()
    assert tracing.trace_id() is None


def test_a_server_without_an_endpoint_loads_no_sdk() -> None:
    code = (
        "import sys; from fastapi import FastAPI; from lakemuster.main import export_telemetry; "
        "export_telemetry(FastAPI()); "
        "print([name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'lakemuster.otel'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
