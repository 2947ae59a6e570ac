"""The registry of table formats."""

from __future__ import annotations

import pickle

import pytest

from lakemuster.errors import FormatUnsupported
from lakemuster.formats import registry
from lakemuster.formats.iceberg.table_format import IcebergFormat
from lakemuster.formats.paimon.table_format import PaimonFormat
from lakemuster.formats.registry import format_of, register, table_formats


class Renamed(IcebergFormat):
    name = "renamed"


class Impostor(IcebergFormat):
    pass


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_FORMATS", dict(registry._FORMATS))


def test_paimon_is_tried_first_since_its_tables_may_hold_iceberg_metadata():
    assert [port.name for port in table_formats()] == ["paimon", "iceberg"]


def test_a_registered_format_is_found_by_name_and_tried_last():
    register(Renamed())
    assert isinstance(format_of("renamed"), Renamed)
    assert table_formats()[-1] is format_of("renamed")


def test_registering_a_format_again_changes_nothing():
    known = format_of("paimon")
    register(PaimonFormat())
    assert format_of("paimon") is known


def test_a_name_belongs_to_one_format():
    with pytest.raises(ValueError, match="iceberg is already registered"):
        register(Impostor())


def test_an_unknown_format_is_an_error_that_names_it():
    with pytest.raises(FormatUnsupported, match="'delta' is not known"):
        format_of("delta")


@pytest.mark.parametrize("port", table_formats(), ids=lambda port: port.name)
def test_ports_are_pickled_by_their_class(port):
    sent = pickle.dumps(port)
    assert type(pickle.loads(sent)) is type(port)
    assert len(sent) < 100, "each decoder task is sent these bytes"
