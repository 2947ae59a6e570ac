"""Random requests, valid and invalid: every response is documented, and none is an internal error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from tests.journey.servers import Running, lakemuster, served

CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]
SNAPSHOTS = ["1", "2", "8904642012249016277"]


@pytest.fixture(scope="module")
def server(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with some tables of both formats."""
    folder = tmp_path_factory.mktemp("fuzz")
    tables = (
        "paimon/parquet/pk_09.db",
        "paimon/parquet/append_table_with_append_pt_branch.db",
        "iceberg/add_columns_with_defaults",
        "iceberg/partition_bool",
    )
    for table in tables:
        shutil.copytree(lakes / table, folder / table, copy_function=shutil.copyfile)
    found = lakemuster(folder, "discover", str(folder), "--rewrite", f"data/persistent={folder / 'iceberg'}")
    assert found.returncode == 0, found.stderr
    with served(folder, MAX_STALENESS="60") as running:
        yield running


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
def test_every_response_is_documented(server: Running, mode: schemathesis.GenerationMode) -> None:
    load_all_checks()
    schema = schemathesis.openapi.from_dict(server.http.get("/openapi.json").json())
    operations = [cast("Ok[Any]", found).ok() for found in schema.get_all_operations()]
    names = [row["name"] for row in server.rows("/tables")]
    answered: set[int] = set()

    @settings(max_examples=200, phases=[Phase.generate], suppress_health_check=list(HealthCheck), derandomize=True)
    @given(st.data())
    def ask(data: st.DataObject) -> None:
        operation = data.draw(st.sampled_from(operations))
        case = data.draw(operation.as_strategy(mode))
        if case.method != "DELETE" and "table" in case.path_parameters and data.draw(st.integers(0, 3)):
            name = data.draw(st.sampled_from(names))
            if "namespace" in case.path_parameters:
                namespace, _, name = name.rpartition(".")
                case.path_parameters["namespace"] = namespace.replace(".", "\x1f")
            elif "database" in case.path_parameters:
                case.path_parameters["database"], _, name = name.rpartition(".")
            case.path_parameters["table"] = name
            if "id" in case.path_parameters:
                case.path_parameters["id"] = data.draw(st.sampled_from(SNAPSHOTS))
            if case.query and data.draw(st.booleans()):
                case.query = {}
        answer = case.call(base_url=server.uri)
        answered.add(answer.status_code)
        # 501 means that an operation is not supported; where it can occur, it is documented.
        checks = [check for check in CHECKS if check is not not_a_server_error or answer.status_code != 501]
        case.validate_response(answer, checks=checks)

    ask()
    assert {200, 400, 404} <= answered
