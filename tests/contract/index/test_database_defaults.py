"""Settings that a PostgreSQL database or role has by default, which the index does not depend on."""

from __future__ import annotations

from contextlib import closing

import pytest
from sqlalchemy import make_url, select

from lakemuster.index.database import Database
from lakemuster.index.jobs import list_jobs, record_success
from lakemuster.index.orm import JobRow
from lakemuster.index.tables import find_table
from tests.contract.index import made
from tests.postgres import PostgresServer


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_writers_see_what_others_committed_whatever_the_default_isolation(
    postgres_url: str, postgres_server: PostgresServer, isolation: str
) -> None:
    with postgres_server.connect() as server:
        name = make_url(postgres_url).database
        server.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = '{isolation}'")
    with closing(Database(postgres_url)) as database:
        database.migrate()
        record_success(database, "sweep")
        with database.session() as session:
            job = select(JobRow).where(JobRow.name == "sweep")
            assert session.scalars(job).one().runs == 1
            record_success(database, "sweep")
            session.expire_all()
            session.scalars(job).one().runs += 1
        assert [job.runs for job in list_jobs(database)] == [3]


def test_a_database_without_an_encoding_stores_any_name(postgres_server: PostgresServer) -> None:
    """Initdb makes databases of the encoding SQL_ASCII where the system has no locale."""
    with postgres_server.database("ENCODING 'SQL_ASCII'") as url, closing(Database(url)) as database:
        database.migrate()
        database.check_version()
        made.table(database, "größe.表")
        assert find_table(database, "größe.表").name == "größe.表"
