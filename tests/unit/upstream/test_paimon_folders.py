"""A Paimon warehouse without a service: which folders are tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import TableNotFound, UpstreamFailed
from lakemuster.storage.store import ObjectStore
from lakemuster.upstream import paimon_folders
from lakemuster.upstream.paimon_folders import PaimonFolders


def attached(warehouse: Path, roots: list[str]) -> PaimonFolders:
    settings = CatalogSettings.model_validate({"type": "paimon", "warehouse": str(warehouse)})
    return PaimonFolders("lake", settings, ObjectStore(roots, {}))


def create(folder: Path) -> None:
    (folder / "schema").mkdir(parents=True)
    (folder / "schema" / "schema-0").write_text("{}")


def test_a_folder_whose_name_no_location_may_have_does_not_fail_the_listing(tmp_path: Path) -> None:
    create(tmp_path / "db.db" / "t")
    create(tmp_path / "db.db" / "x%2e%2e")
    create(tmp_path / "a::b.db" / "t")
    create(tmp_path / "line\nbreak.db" / "t")
    catalog = attached(tmp_path, [str(tmp_path)])
    assert list(catalog.every_table()) == [("db", "t")]
    assert catalog.pointer(("db", "t")) == f"{tmp_path}/db.db/t"
    for refused in (("db", "x%2e%2e"), ("a::b", "t"), ("line\nbreak", "t")):
        with pytest.raises(TableNotFound):
            catalog.pointer(refused)


def test_a_warehouse_outside_the_roots_fails(tmp_path: Path) -> None:
    create(tmp_path / "db.db" / "t")
    catalog = attached(tmp_path, [str(tmp_path / "other")])
    with pytest.raises(UpstreamFailed, match="outside the allowed roots"):
        list(catalog.every_table())
    with pytest.raises(UpstreamFailed, match="outside the allowed roots"):
        catalog.pointer(("db", "t"))


def test_a_warehouse_with_too_many_folders_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paimon_folders, "MAX_FOLDERS", 3)
    for number in range(3):
        create(tmp_path / "db.db" / f"t{number}")
    with pytest.raises(UpstreamFailed, match="more than 3 folders"):
        list(attached(tmp_path, [str(tmp_path)]).every_table())
