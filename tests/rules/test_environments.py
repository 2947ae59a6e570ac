"""The services that tests lean on are real and answer."""

from __future__ import annotations

import psycopg
import pytest
import sqlalchemy


def test_postgres_is_real_and_each_database_is_empty(postgres_server, postgres_url):
    engine = sqlalchemy.create_engine(postgres_url)
    with engine.begin() as connection:
        assert "PostgreSQL" in str(connection.scalar(sqlalchemy.text("select version()")))
        connection.execute(sqlalchemy.text("create table here (id bigint)"))
    engine.dispose()
    with postgres_server.database() as other:
        engine = sqlalchemy.create_engine(other)
        with engine.connect() as connection, pytest.raises(sqlalchemy.exc.ProgrammingError) as refusal:
            connection.execute(sqlalchemy.text("select * from here"))
        assert isinstance(refusal.value.orig, psycopg.errors.UndefinedTable)
        engine.dispose()


def test_pypaimon_runs_beside_us_and_answers_in_json(run_pypaimon):
    script = "def main(word):\n    import pypaimon, pyarrow\n    print('noise')\n    return [word, pyarrow.__version__]"
    word, version = run_pypaimon(script, word="stock")
    assert word == "stock"
    assert int(version.split(".")[0]) < 20


def test_a_failing_script_beside_pypaimon_fails_with_its_own_words(run_pypaimon):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_pypaimon("def main():\n    return 1 / 0")
