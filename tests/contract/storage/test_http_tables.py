"""Iceberg tables over plain HTTP, which cannot list folders."""

from __future__ import annotations

import pytest

from lakemuster.errors import ListingUnsupported, ObjectMissing
from lakemuster.ingest.pointers import look
from lakemuster.storage.store import ObjectStore
from tests.http_files import HttpFiles


def test_a_table_is_found_by_its_hint_and_the_versions_after_it() -> None:
    with HttpFiles() as server:
        store = ObjectStore([server.url], {})
        root = f"{server.url}/t"
        with pytest.raises(ListingUnsupported, match="version-hint"):
            look(store, root)
        server.files["t/metadata/version-hint.text"] = b"1"
        with pytest.raises(ObjectMissing, match=r"v1\.metadata\.json"):
            look(store, root)
        for version in (1, 2, 3):
            server.files[f"t/metadata/v{version}.metadata.json"] = b"{}"
        assert look(store, root).metadata_location == f"{root}/metadata/v3.metadata.json"
        named = f"{root}/metadata/v1.metadata.json"
        assert look(store, named).metadata_location == named
