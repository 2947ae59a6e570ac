"""Scripts that read tables through ``/iceberg`` with other engines; each defines ``main(uri, tables, storage)``.

``storage`` is empty for local files, and PyIceberg's properties of S3 otherwise. The result is, for each table, the
number of rows and the sum of the first column.
"""

from __future__ import annotations

from tests.duckdb import CONNECTED

PYICEBERG = """
import pyarrow.compute as pc
from pyiceberg.catalog import load_catalog

def main(uri, tables, storage):
    catalog = load_catalog("muster", type="rest", uri=uri, **storage)
    rows = [catalog.load_table(name).scan().to_arrow() for name in tables]
    return [[table.num_rows, pc.sum(table.column(0)).as_py()] for table in rows]
"""

POLARS = """
import polars
from pyiceberg.catalog import load_catalog

OPTIONS = {
    "s3.endpoint": "aws_endpoint_url", "s3.access-key-id": "aws_access_key_id",
    "s3.secret-access-key": "aws_secret_access_key", "s3.region": "aws_region",
}

def main(uri, tables, storage):
    catalog = load_catalog("muster", type="rest", uri=uri, **storage)
    options = {OPTIONS[name]: value for name, value in storage.items()} | {"aws_allow_http": "true"}
    found = []
    for name in tables:
        frame = polars.scan_iceberg(catalog.load_table(name), storage_options=options if storage else None)
        found.append(list(frame.select(polars.len(), polars.first().sum()).collect().row(0)))
    return found
"""

DAFT = """
import daft
from daft.io import IOConfig, S3Config
from pyiceberg.catalog import load_catalog

def main(uri, tables, storage):
    catalog = load_catalog("muster", type="rest", uri=uri, **storage)
    config = None
    if storage:
        config = IOConfig(s3=S3Config(
            endpoint_url=storage["s3.endpoint"], key_id=storage["s3.access-key-id"],
            access_key=storage["s3.secret-access-key"], region_name=storage["s3.region"], use_ssl=False,
        ))
    found = []
    for name in tables:
        rows = daft.read_iceberg(catalog.load_table(name), io_config=config).to_arrow()
        found.append([rows.num_rows, sum(rows.column(0).to_pylist())])
    return found
"""

DUCKDB = (
    CONNECTED
    + """
def main(uri, tables, storage):
    connection = connected()
    if storage:
        connection.execute(
            f"CREATE SECRET (TYPE s3, KEY_ID '{storage['s3.access-key-id']}',"
            f" SECRET '{storage['s3.secret-access-key']}', REGION '{storage['s3.region']}', ENDPOINT '{storage['s3.endpoint'].removeprefix('http://')}',"
            " URL_STYLE path, USE_SSL false)"
        )
    connection.execute(
        f"ATTACH '' AS muster (TYPE iceberg, ENDPOINT '{uri}', AUTHORIZATION_TYPE none, ACCESS_DELEGATION_MODE none)"
    )
    queries = [f"SELECT count(*), sum({column})::BIGINT FROM muster.{name}" for name, column in tables.items()]
    return [list(connection.execute(query).fetchone()) for query in queries]
"""
)

CLICKHOUSE = """
import os

from chdb import session

def main(uri, tables, storage):
    os.chdir("/")  # it opens local files below its folder only
    running = session.Session()
    more = ", 'Parquet'"  # without any argument it asks for credentials, of local files too
    if storage:
        more = f", '{storage['s3.access-key-id']}', '{storage['s3.secret-access-key']}'"
    endpoint = f", storage_endpoint = '{storage['s3.endpoint']}/{storage['bucket']}'" if storage else ""
    running.query("SET allow_experimental_database_iceberg = 1")
    running.query(
        f"CREATE DATABASE muster ENGINE = DataLakeCatalog('{uri}/v1'{more})"
        f" SETTINGS catalog_type = 'rest', warehouse = 'lakemuster'{endpoint}"
    )
    found = []
    for name, column in tables.items():
        said = running.query(f"SELECT count(), sum({column}) FROM muster.`{name}`", "CSV")
        found.append([int(text) for text in str(said).strip().split(",")])
    return found
"""
