"""Opening attached catalogs: errors name missing packages and contain no secrets."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import ConfigInvalid
from lakemuster.storage.store import ObjectStore
from lakemuster.upstream.registry import open_upstream

THRIFT = "thrift://one:9083"


@pytest.mark.parametrize(
    ("settings", "module"),
    [
        ({"type": "sql", "uri": "sqlite:////lake/catalog.db"}, "pyiceberg"),
        ({"type": "glue"}, "pyiceberg"),
        ({"type": "hive", "uri": THRIFT}, "hive_metastore"),
        ({"type": "paimon", "metastore": "hive", "uri": THRIFT}, "hive_metastore"),
    ],
)
def test_an_extra_that_is_not_installed_is_named(
    settings: dict[str, Any], module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def importing(name: str, *arguments: Any, **named: Any) -> Any:
        if name.partition(".")[0] == module:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)
        return real(name, *arguments, **named)

    for loaded in ("hive", "hive_connection", "glue", "sql"):
        monkeypatch.delitem(sys.modules, f"lakemuster.upstream.{loaded}", raising=False)
    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(ConfigInvalid, match=rf"needs the extra catalogs \({module} is not installed\): pip install"):
        open_upstream("prod", CatalogSettings.model_validate(settings), ObjectStore([], {}))


def test_a_url_of_no_database_is_refused_without_its_password() -> None:
    settings = CatalogSettings.model_validate({"type": "sql", "uri": "nothing://u:secret@host/db"})
    with pytest.raises(ConfigInvalid, match="not the URL of a database") as refused:
        open_upstream("prod", settings, ObjectStore([], {}))
    assert "secret" not in str(refused.value)
    assert "secret" not in repr(settings)
