"""Lakes of Paimon tables: a warehouse, a REST catalog, a Hive Metastore."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hive_metastore.ttypes import AlreadyExistsException, FieldSchema, SerDeInfo, StorageDescriptor
from hive_metastore.ttypes import Database as HiveDatabase
from hive_metastore.ttypes import Table as HiveTable

from lakemuster.metadata.names import Levels
from lakemuster.upstream.hive_connection import HiveConnections
from tests.contract.upstream.lakes import CatalogOwnedLake, Lake, address
from tests.fake_paimon_rest import TOKEN, FakePaimonRest, PaimonTable
from tests.stalling_proxy import StallingProxy


class PaimonFoldersLake(Lake):
    """A Paimon warehouse whose table folders are copies of those that pypaimon wrote.

    Args:
        versions: copies of one table's folder, after each of its commits.
    """

    format = "paimon"

    def __init__(self, folder: Path, versions: Sequence[Path]) -> None:
        super().__init__(folder)
        self.versions = versions
        self.warehouse = folder / "lake"
        self.commits: dict[Levels, int] = {}

    @property
    def settings(self) -> dict[str, Any]:
        return {"type": "paimon", "warehouse": str(self.warehouse)}

    def root(self, table: Levels) -> Path:
        """Return the folder of a table."""
        return self.warehouse / f"{table[0]}.db" / table[1]

    def create(self, table: Levels) -> None:
        shutil.copytree(self.versions[0], self.root(table))
        self.commits[table] = 1

    def commit(self, table: Levels) -> None:
        self.write(table)
        self.commits[table] += 1

    def write(self, table: Levels) -> None:
        """Write the files of the next commit."""
        shutil.copytree(self.versions[self.commits[table]], self.root(table), dirs_exist_ok=True)

    def drop(self, table: Levels) -> None:
        shutil.rmtree(self.root(table))
        del self.commits[table]

    def rename(self, table: Levels, to: Levels) -> None:
        self.root(to).parent.mkdir(exist_ok=True)
        self.root(table).rename(self.root(to))
        self.commits[to] = self.commits.pop(table)

    def stop(self) -> None:
        self.warehouse.rename(self.folder / "not mounted")
        self.warehouse.mkdir()


class PaimonHiveLake(PaimonFoldersLake):
    """Paimon tables in a Hive Metastore, with the records that Paimon's Java client writes."""

    def __init__(self, folder: Path, versions: Sequence[Path], uri: str) -> None:
        super().__init__(folder, versions)
        self.hive = HiveConnections({"uri": uri})
        self.proxy = StallingProxy(address(uri))

    @property
    def settings(self) -> dict[str, Any]:
        return {"type": "paimon", "metastore": "hive", "uri": f"thrift://127.0.0.1:{self.proxy.port}"}

    def create(self, table: Levels) -> None:
        super().create(table)
        database = HiveDatabase(name=table[0], locationUri=self.root(table).parent.as_uri(), parameters={})
        with suppress(AlreadyExistsException):
            self.hive.call(lambda client: client.create_database(database))
        self.hive.call(lambda client: client.create_table(self._record(table)))
        # A Metastore table of another kind, which is not listed.
        other = self._record((table[0], f"{table[1]}_other"), kind="OTHER")
        with suppress(AlreadyExistsException):
            self.hive.call(lambda client: client.create_table(other))

    def _record(self, table: Levels, kind: str = "PAIMON") -> HiveTable:
        storage = StorageDescriptor(
            cols=[FieldSchema("id", "bigint", None)],
            location=self.root(table).as_uri(),
            inputFormat="org.apache.paimon.hive.mapred.PaimonInputFormat",
            outputFormat="org.apache.paimon.hive.mapred.PaimonOutputFormat",
            serdeInfo=SerDeInfo(serializationLib="org.apache.paimon.hive.PaimonSerDe"),
        )
        parameters = {"EXTERNAL": "TRUE", "table_type": kind}
        return HiveTable(
            dbName=table[0], tableName=table[1], sd=storage, parameters=parameters, tableType="EXTERNAL_TABLE"
        )

    def drop(self, table: Levels) -> None:
        self.hive.call(lambda client: client.drop_table(*table, False))
        super().drop(table)

    def rename(self, table: Levels, to: Levels) -> None:
        super().rename(table, to)
        database = HiveDatabase(name=to[0], locationUri=self.root(to).parent.as_uri(), parameters={})
        with suppress(AlreadyExistsException):
            self.hive.call(lambda client: client.create_database(database))
        self.hive.call(lambda client: client.drop_table(*table, False))
        self.hive.call(lambda client: client.create_table(self._record(to)))

    def stop(self) -> None:
        self.proxy.close()

    def close(self) -> None:
        self.proxy.close()

        def drop_all(client: Any) -> None:
            for database in client.get_all_databases():
                if database != "default":
                    client.drop_database(database, False, True)

        self.hive.call(drop_all)


class PaimonRestLake(PaimonFoldersLake, CatalogOwnedLake):
    """A Paimon REST catalog."""

    def __init__(self, folder: Path, versions: Sequence[Path], fake: FakePaimonRest) -> None:
        super().__init__(folder, versions)
        self.fake = fake
        self.proxy = StallingProxy(address(fake.uri))

    @property
    def settings(self) -> dict[str, Any]:
        uri = f"http://127.0.0.1:{self.proxy.port}"
        return {"type": "paimon", "metastore": "rest", "uri": uri, "warehouse": "lake", "token": TOKEN}

    def create(self, table: Levels) -> None:
        super().create(table)
        self.fake.tables[table] = PaimonTable(self.root(table).as_uri(), 1)

    def commit(self, table: Levels) -> None:
        super().commit(table)
        self.fake.tables[table].newest = self.commits[table]

    def drop(self, table: Levels) -> None:
        super().drop(table)
        del self.fake.tables[table]

    def rename(self, table: Levels, to: Levels) -> None:
        super().rename(table, to)
        self.fake.tables[to] = self.fake.tables.pop(table)
        self.fake.tables[to].path = self.root(to).as_uri()

    def lose_commit(self, table: Levels) -> None:
        self.write(table)

    def stop(self) -> None:
        self.proxy.close()

    def close(self) -> None:
        self.proxy.close()
