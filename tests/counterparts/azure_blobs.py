"""Azure Blob Storage: Azurite on a free port of this machine. Its packages are brought by npm on first use."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from azure.storage.blob import BlobServiceClient

from tests.beside import node_modules_of
from tests.counterparts.processes import started
from tests.object_stores import Bucket
from tests.tree import ROOT

ACCOUNT = "lakemuster"
KEY = "bGFrZW11c3Rlci1rZXk="
"""Azurite takes any account with its key."""
_CONTAINERS = count(1)


def connection_string(endpoint: str, key: str = KEY) -> str:
    """What names the account, its key, and where it is."""
    return f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={key};BlobEndpoint={endpoint}/{ACCOUNT};"


def new_container(endpoint: str, name: str | None = None) -> Bucket:
    """A container that nothing else uses; written to by Azure's SDK."""
    name = name or f"lake-{next(_CONTAINERS)}"
    container = BlobServiceClient.from_connection_string(connection_string(endpoint)).create_container(name)
    storage: dict[str, dict[str, Any]] = {"abfs": {"connection_string": connection_string(endpoint)}}
    return Bucket(
        f"abfs://{name}@{ACCOUNT}.dfs.core.windows.net",
        storage,
        lambda key, data: container.upload_blob(key, data, overwrite=True),
        container.delete_blob,
        lambda: list(container.list_blob_names()),
    )


@pytest.fixture(scope="session")
def azure_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that lives as long as the tests do."""
    folder = tmp_path_factory.mktemp("azurite")
    program = node_modules_of(ROOT / "tests/counterparts/azurite") / "azurite/dist/src/blob/main.js"
    options = ["--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence", "--skipApiVersionCheck"]
    command = ["node", str(program), *options, "--disableTelemetry", "--silent"]
    ready = r"successfully listens on (http://127\.0\.0\.1:\d+)"
    with started(command, folder / "azurite.log", ready, {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}) as running:
        yield running.ready[1]


@pytest.fixture
def azure_container(azure_endpoint: str) -> Bucket:
    """A container of Azure Blob Storage that nothing else uses."""
    return new_container(azure_endpoint)
