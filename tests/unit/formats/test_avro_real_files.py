"""All decoders give the same rows for every Avro file of the real tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.formats.avro import read_table
from tests.tree import lakes_folder
from tests.unit.formats.avro_files import real_files, reference_rows

FILES = real_files(lakes_folder())


def test_there_are_files_of_both_formats():
    assert len([path for path in FILES if "iceberg" in path.parts]) > 50
    assert len([path for path in FILES if "paimon" in path.parts]) > 50


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_all_decoders_read_the_same_table(path: Path):
    data = path.read_bytes()
    _, native = read_table(data, engine="native")
    _, reference = read_table(data, engine="fastavro")
    native.validate(full=True)
    assert native.schema.equals(reference.schema, check_metadata=True)
    assert native.equals(reference)
    assert reference.num_rows == len(reference_rows(data))
