"""Fixtures: a lake for each type of attached catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.contract.upstream.lakes import (
    EVERY,
    GlueLake,
    HiveLake,
    Lake,
    PostgresLake,
    RestLake,
    SqlLake,
)
from tests.contract.upstream.paimon_lakes import PaimonFoldersLake, PaimonHiveLake, PaimonRestLake
from tests.fake_catalog import fake_catalog
from tests.fake_paimon_rest import fake_paimon_rest

WRITING = """
import shutil
import pyarrow as pa
from pypaimon import CatalogFactory, Schema

def main(folder, commits):
    catalog = CatalogFactory.create({"warehouse": folder + "/warehouse"})
    catalog.create_database("db", True)
    columns = pa.schema([("id", pa.int64())])
    catalog.create_table("db.t", Schema.from_pyarrow_schema(columns), False)
    for number in range(commits):
        builder = catalog.get_table("db.t").new_batch_write_builder()
        writer, commit = builder.new_write(), builder.new_commit()
        writer.write_arrow(pa.Table.from_pydict({"id": list(range(10))}, schema=columns))
        commit.commit(writer.prepare_commit())
        writer.close()
        commit.close()
        shutil.copytree(folder + "/warehouse/db.db/t", f"{folder}/{number}")
"""


@pytest.fixture(scope="session")
def paimon_versions(run_pypaimon: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Copies of the folder of a table that pypaimon writes, one after each commit."""
    folder = tmp_path_factory.mktemp("paimon")
    run_pypaimon(WRITING, folder=str(folder), commits=4)
    return [folder / str(number) for number in range(4)]


@pytest.fixture(params=EVERY)
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lake]:
    """A lake without tables, one for each type of catalog."""
    wanted = request.getfixturevalue
    match request.param:
        case "sql":
            found: Lake = SqlLake(tmp_path)
        case "postgres":
            found = PostgresLake(tmp_path, wanted("postgres_url"))
        case "glue":
            found = GlueLake(tmp_path, wanted("s3_endpoint"))
        case "hive":
            found = HiveLake(tmp_path, wanted("hive").uri)
        case "paimon-folders":
            found = PaimonFoldersLake(tmp_path, wanted("paimon_versions"))
        case "paimon-hive":
            found = PaimonHiveLake(tmp_path, wanted("paimon_versions"), wanted("hive").uri)
        case "rest":
            with fake_catalog() as iceberg, closing(RestLake(tmp_path, iceberg)) as found:
                yield found
            return
        case _:
            with fake_paimon_rest() as paimon:
                found = PaimonRestLake(tmp_path, wanted("paimon_versions"), paimon)
                with closing(found):
                    yield found
            return
    with closing(found):
        yield found
