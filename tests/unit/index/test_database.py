"""Accepted databases, and the errors for refused and failing ones."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import select, text

from lakemuster.errors import CatalogError, ConfigInvalid, DatabaseVersionMismatch, IndexUnavailable, MetadataCorrupt
from lakemuster.failure_reasons import operator_message
from lakemuster.index import database as module
from lakemuster.index.database import Database, open_database
from lakemuster.index.orm import TableRow
from lakemuster.index.orm_base import AnyText
from lakemuster.index.tables import add_table, get_table, list_tables, record_look


@pytest.mark.parametrize(
    "url", ["", "nonsense", "mysql://h/db", "sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"]
)
def test_other_databases_are_an_invalid_setting(url: str) -> None:
    with pytest.raises(ConfigInvalid, match="DATABASE_URL"):
        Database(url)


@pytest.mark.parametrize("parameters", ["?timeout=5", "?timeout"])
def test_parameters_of_a_sqlite_file_are_an_invalid_setting(parameters: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="no parameters"):
        Database(f"sqlite:///{tmp_path}/index.db{parameters}")


@pytest.mark.parametrize("place", ["user:hunter2@host:notaport", "user:p@hunter2@host", "user:p@hunter2:x@host:5432"])
def test_a_wrong_url_is_not_repeated(place: str) -> None:
    with pytest.raises(ConfigInvalid, match="DATABASE_URL") as told:
        Database(f"postgresql+psycopg://{place}/db")
    assert "hunter2" not in str(told.value)


def test_a_silent_server_is_unavailable_and_its_password_is_not_shown() -> None:
    database = Database("postgresql+psycopg://user:hunter2@127.0.0.1:1/db")
    for attempt in (database.check_version, database.migrate, lambda: _read(database)):
        with pytest.raises(IndexUnavailable) as told:
            attempt()
        words = str(told.value) + str(told.value.context)
        assert "hunter2" not in words
        assert "127.0.0.1" not in words


def test_the_operator_is_told_the_reason_and_the_place_of_a_silent_server() -> None:
    database = Database("postgresql+psycopg://user:hunter2@127.0.0.1:1/db?sslpassword=swordfish")
    with pytest.raises(IndexUnavailable) as told:
        database.check_version()
    message = operator_message(told.value)
    assert message.startswith("the database does not answer: 127.0.0.1:1/db: ")
    assert message.endswith("Connection refused")
    assert "hunter2" not in message
    assert "swordfish" not in message


def _read(database: Database) -> None:
    with database.reading() as session:
        list_tables(session)


def test_the_embedded_index_creates_itself_and_its_folder(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path}/new/folder/index.db")
    database.check_version()
    with database.reading() as session:
        assert list_tables(session) == []


def test_the_embedded_index_is_for_its_owner_only(tmp_path: Path) -> None:
    open_database(f"sqlite:///{tmp_path}/index.db")
    assert (tmp_path / "index.db").stat().st_mode & 0o777 == 0o600


def test_an_embedded_index_of_a_newer_version_that_does_not_admit_this_one_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/index.db"
    open_database(url).close()
    with sqlite3.connect(tmp_path / "index.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute("UPDATE schema_support SET oldest_server = '9999'")
    connection.close()
    for attempt in (lambda: open_database(url), Database(url).check_version):
        with pytest.raises(DatabaseVersionMismatch, match="upgrade lakemuster"):
            attempt()


def test_the_error_of_an_empty_database_names_the_command(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/index.db")
    with pytest.raises(DatabaseVersionMismatch, match="lakemuster migrate"):
        database.check_version()
    with pytest.raises(DatabaseVersionMismatch, match="lakemuster migrate"):
        _read(database)
    with pytest.raises(DatabaseVersionMismatch, match="lakemuster migrate"):
        database.rows(select(TableRow.id), {})


def test_a_file_that_is_not_a_database_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_text("not a database" * 100)
    with pytest.raises(IndexUnavailable) as told:
        open_database(f"sqlite:///{tmp_path}/index.db")
    assert told.value.message == "the database does not answer"
    assert f"{tmp_path}/index.db: file is not a database; restore a backup" in operator_message(told.value)


def test_a_folder_that_cannot_be_created_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailable, match=f"cannot create the index {tmp_path}/file/index.db: "):
        open_database(f"sqlite:///{tmp_path}/file/index.db")


def test_write_ahead_logging_is_used_only_where_it_is_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for safe, mode in ((True, "wal"), (False, "delete")):
        monkeypatch.setattr(module, "WAL_IS_SAFE", safe)
        database = open_database(f"sqlite:///{tmp_path}/index.db")
        with database.reading() as session:
            assert session.scalar(text("PRAGMA journal_mode")) == mode
            assert session.scalar(text("PRAGMA foreign_keys")) == 1
        database.close()


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_database(f"sqlite:///{tmp_path}/index.db")


def test_a_block_that_raises_is_rolled_back(database: Database) -> None:
    def work() -> None:
        with database.session() as session:
            add_table(session, "a", "x", "iceberg")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    with database.reading() as session:
        assert list_tables(session) == []


def test_a_reading_session_cannot_write(database: Database) -> None:
    with pytest.raises(IndexUnavailable) as told, database.reading() as session:
        add_table(session, "a", "x", "iceberg")
    assert "index.db: attempt to write a readonly database; SQLite must be able to write" in operator_message(
        told.value
    )
    with database.session() as session:
        add_table(session, "a", "x", "iceberg")


def test_a_number_beyond_64_bits_is_bad_metadata(database: Database) -> None:
    with database.session() as session:
        table = add_table(session, "a", "x", "iceberg")
    with pytest.raises(MetadataCorrupt), database.session() as session:
        record_look(session, table.table_id, 2**63)


def test_a_writer_that_waits_too_long_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.1)
    database = open_database(f"sqlite:///{tmp_path}/index.db")
    with database.session() as session:
        session.execute(select(TableRow.id))
        with pytest.raises(IndexUnavailable), database.session() as other:
            other.execute(select(TableRow.id))
        _read(database)


def test_writers_that_first_read_take_turns(database: Database) -> None:
    with database.session() as session:
        table = add_table(session, "a", "x", "iceberg")
    failures: list[CatalogError] = []

    def work() -> None:
        for _ in range(20):
            try:
                with database.session() as session:
                    count = get_table(session, "a").checked_at_ms or 0
                    record_look(session, table.table_id, count + 1)
            except CatalogError as error:
                failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with database.reading() as session:
        assert get_table(session, "a").checked_at_ms == 80


@pytest.mark.parametrize("value", ["plain", "nul\0", "\ud800 lone", "\x1b0000", "\x1b", "é\U0001f600", ""])
def test_text_that_databases_reject_is_escaped_and_round_trips(value: str) -> None:
    stored = AnyText().process_bind_param(value, None)  # type: ignore[arg-type]
    assert stored is not None
    assert "\0" not in stored
    stored.encode()
    assert AnyText().process_result_value(stored, None) == value  # type: ignore[arg-type]
