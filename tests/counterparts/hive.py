"""Hive's Metastore, version 4.0.0, on an embedded Derby database.

Maven downloads its archive and missing jars (``requirements-hive.jars``) on first use. It needs Java 17.
Later versions do not support PyIceberg's ``get_table``.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.beside import jars_of
from tests.counterparts.processes import JAVA_OPTIONS, Started, started

OPENED = ["java.lang", "java.net", "java.util"]
OPTIONS = ["-Xmx512m", *JAVA_OPTIONS, *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPENED)]
SCHEMA_TOOL = "org.apache.hadoop.hive.metastore.tools.schematool.MetastoreSchemaTool"
SERVER = "org.apache.hadoop.hive.metastore.HiveMetaStore"
LOGGING = """status = ERROR
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c{1}: %m%n
rootLogger.level = INFO
rootLogger.appenderRef.console.ref = console
"""


@dataclass(frozen=True)
class HiveMetastore:
    """A running Metastore.

    Attributes:
        uri: the URI of its Thrift service.
        warehouse: the URI of a folder for tables, which is not the Metastore's own.
    """

    uri: str
    warehouse: str
    started: Started


@contextmanager
def hive_server(folder: Path) -> Iterator[HiveMetastore]:
    """Run a Metastore on a free port of 127.0.0.1, with its database in ``folder``."""
    archive, *jars = jars_of("requirements-hive.jars")
    settings = folder / "conf"
    settings.mkdir(exist_ok=True)
    (settings / "metastore-log4j2.properties").write_text(LOGGING)
    _write_settings(
        settings / "metastore-site.xml",
        {
            "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/derby;create=true",
            "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
            "metastore.warehouse.dir": (folder / "own").as_uri(),
            "metastore.thrift.bind.host": "127.0.0.1",
            "metastore.expression.proxy": "org.apache.hadoop.hive.metastore.DefaultPartitionExpressionProxy",
            "metastore.task.threads.always": "",
            "metastore.async.log.enabled": "false",
        },
    )
    path = os.pathsep.join([str(settings), *jars, f"{archive}/lib/*"])
    java = ["java", *OPTIONS, f"-Djava.io.tmpdir={folder}", f"-Dderby.system.home={folder}", "-cp", path]
    environment = {"METASTORE_HOME": archive, "METASTORE_CONF_DIR": str(settings)}
    if not (folder / "derby").exists():
        command = [*java, SCHEMA_TOOL, "-dbType", "derby", "-initSchema"]
        with (folder / "schema.log").open("w") as log:
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                env=os.environ | environment,
                check=True,
            )
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    ready = rf"Started the new metaserver on port \[{port}\]"
    with started([*java, SERVER, "-p", str(port)], folder / "hive.log", ready, environment) as running:
        yield HiveMetastore(f"thrift://127.0.0.1:{port}", (folder / "warehouse").as_uri(), running)


def _write_settings(file: Path, values: dict[str, str]) -> None:
    root = ET.Element("configuration")
    for name, value in values.items():
        stated = ET.SubElement(root, "property")
        ET.SubElement(stated, "name").text = name
        ET.SubElement(stated, "value").text = value
    file.write_bytes(ET.tostring(root))


@pytest.fixture(scope="session")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveMetastore]:
    """A Metastore; each test drops the tables that it has created."""
    with hive_server(tmp_path_factory.mktemp("hive")) as running:
        yield running
