"""Azure Blob Storage: Azurite on a free port of this machine. npm installs its packages on first use."""

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
"""The account's key; Azurite accepts any account and key."""
_CONTAINERS = count(1)


def connection_string(endpoint: str, key: str = KEY) -> str:
    """Return the connection string of the account at an endpoint."""
    return f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={key};BlobEndpoint={endpoint}/{ACCOUNT};"


def new_container(endpoint: str, name: str | None = None) -> Bucket:
    """Create a container, which tests write with Azure's SDK."""
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
    """The URL of a server that runs for the test session."""
    folder = tmp_path_factory.mktemp("azurite")
    program = node_modules_of(ROOT / "tests/counterparts/azurite") / "azurite/dist/src/blob/main.js"
    options = ["--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence", "--skipApiVersionCheck"]
    command = ["node", str(program), *options, "--disableTelemetry", "--silent"]
    ready = r"successfully listens on (http://127\.0\.0\.1:\d+)"
    with started(command, folder / "azurite.log", ready, {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}) as running:
        yield running.ready[1]


@pytest.fixture
def azure_container(azure_endpoint: str) -> Bucket:
    """A new container of Azure Blob Storage."""
    return new_container(azure_endpoint)
