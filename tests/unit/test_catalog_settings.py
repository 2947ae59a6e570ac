"""Settings of attached catalogs: what each type requires, and the errors for invalid values."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from lakemuster.catalog_settings import CatalogSettings

HTTP, THRIFT = "http://catalog.example", "thrift://one:9083"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"type": "none"}, "'rest', 'hive', 'glue', 'sql' or 'paimon'"),
        ({"type": "rest", "uri": "catalog.example"}, "http or https"),
        ({"type": "hive"}, "thrift://HOST:PORT"),
        ({"type": "hive", "uri": "thrift://h:99999"}, "thrift://HOST:PORT"),
        ({"type": "rest", "uri": "http://h:port"}, "http or https URL"),
        ({"type": "hive", "uri": f"{THRIFT},{HTTP}"}, "thrift://HOST:PORT"),
        ({"type": "hive", "uri": THRIFT, "auth": "forward"}, "of type rest"),
        ({"type": "glue", "glue.endpoint": "glue"}, "glue.endpoint must be an http"),
        ({"type": "sql"}, "URL of a database"),
        ({"type": "paimon"}, "needs a warehouse"),
        ({"type": "paimon", "metastore": "jdbc"}, "filesystem, rest or hive"),
        ({"type": "paimon", "metastore": "rest", "uri": HTTP}, "needs a warehouse"),
        ({"type": "paimon", "metastore": "rest", "warehouse": "w"}, "http or https"),
        ({"type": "paimon", "metastore": "hive", "uri": HTTP}, "thrift://HOST:PORT"),
        (
            {"type": "paimon", "metastore": "rest", "uri": HTTP, "warehouse": "w", "token.provider": "dlf"},
            "token.provider must be bear",
        ),
    ],
)
def test_a_wrong_setting_says_what_is_needed(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        CatalogSettings.model_validate(settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"type": "rest", "uri": HTTP, "auth": "forward"},
        {"type": "hive", "uri": f"{THRIFT}, thrift://two:9083", "ugi": "reader"},
        {"type": "glue"},
        {"type": "sql", "uri": "sqlite:////lake/catalog.db"},
        {"type": "paimon", "warehouse": "/lake"},
        {"type": "paimon", "metastore": "rest", "uri": HTTP, "warehouse": "w", "token.provider": "bear"},
        {"type": "paimon", "metastore": "hive", "uri": THRIFT},
    ],
)
def test_what_a_type_needs_is_accepted(settings: dict[str, Any]) -> None:
    assert CatalogSettings.model_validate(settings).type == settings["type"]
