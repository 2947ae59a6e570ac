"""Vended credentials open the files of their table only, and no other credentials open these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.errors import CatalogError, StorageDenied
from tests.contract.service.attached_lake import DATA, ORDERS, attached
from tests.fake_catalog import FakeCatalog, fake_catalog
from tests.storage_servers import S3Server


@pytest.fixture
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove AWS credentials from the environment."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


class Lake:
    """A table on S3, and the catalog with its pointer."""

    def __init__(self, fake: FakeCatalog, s3: S3Server, folder: Path) -> None:
        self.fake, self.s3, self.folder = fake, s3, folder
        properties = {
            "s3.endpoint": s3.endpoint_url,
            "s3.access-key-id": s3.key,
            "s3.secret-access-key": s3.secret,
            "s3.region": "us-east-1",
        }
        own = SqlCatalog("own", uri=f"sqlite:///{folder}/own.db", warehouse=s3.url, **properties)
        own.create_namespace("shop")
        self.table = own.create_table(ORDERS, DATA.schema)
        self.table.append(DATA)
        fake.tables[ORDERS] = self.table.metadata_location

    def vend(self, prefix: str) -> None:
        """Vend credentials for a prefix."""
        config = {"s3.access-key-id": "vended", "s3.secret-access-key": "vended", "s3.session-token": "vended"}
        self.fake.credentials[ORDERS] = [{"prefix": prefix, "config": config}]

    def services(self, *, vended: bool = True) -> Any:
        storage = {"s3": {"endpoint_url": self.s3.endpoint_url, "client_kwargs": {"region_name": "us-east-1"}}}
        properties = {"vended": vended, "roots": [self.s3.url]}
        (self.folder / "lake").mkdir(exist_ok=True)
        return attached(self, self.folder, properties=properties, storage=storage)  # type: ignore[arg-type]


@pytest.fixture
def lake(tmp_path: Path, s3_server: S3Server, no_credentials: None) -> Iterator[Lake]:
    with fake_catalog() as fake:
        yield Lake(fake, s3_server, tmp_path)


def test_files_are_read_with_what_the_catalog_vends(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[object] = []
    monkeypatch.setattr("lakemuster.storage.backends._build", recording(used))
    lake.vend(lake.table.location())
    with lake.services() as services:
        # Ignore the operator's options, which are checked at the start.
        used.clear()
        assert len(services.refresh("prod.shop.orders").published) == 1
        assert used == ["vended"]
    with lake.services(vended=False) as services, pytest.raises(StorageDenied):
        services.refresh("prod.shop.orders")


def recording(used: list[object]) -> Any:
    """Return a builder of filesystems that records the access key of each."""
    from lakemuster.storage.backends import _build

    def build(scheme: str, options: Any, deadline_seconds: float) -> Any:
        used.append(options.get("key"))
        return _build(scheme, options, deadline_seconds)

    return build


@pytest.mark.parametrize("prefix", ["{}2", "{}/data", "s3://elsewhere"])
def test_what_the_catalog_does_not_vend_stays_closed(lake: Lake, prefix: str) -> None:
    lake.vend(prefix.format(lake.table.location()))
    with lake.services() as services, pytest.raises(CatalogError) as refused:
        services.refresh("prod.shop.orders")
    assert isinstance(refused.value, StorageDenied)
    assert "vended" not in str(refused.value)


def test_credentials_are_not_stored(lake: Lake) -> None:
    lake.vend(lake.table.location())
    with lake.services() as services:
        services.refresh("prod.shop.orders")
    for path in lake.folder.rglob("*"):
        if path.is_file() and path.name != "own.db":
            assert b"vended" not in path.read_bytes(), path
