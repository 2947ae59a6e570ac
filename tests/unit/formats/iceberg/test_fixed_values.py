"""Hostile types of partition values: the search for ``fixed`` ones refuses what the Avro reader does."""

from __future__ import annotations

import pytest

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import struct_of, table_of

HOSTILE = {
    "deep lists": b"[" * 900 + b'"int"' + b"]" * 900,
    "a fixed type without a size": b'{"type":"fixed","name":"q"}',
    "a size of text": b'{"type":"fixed","name":"q","size":"a"}',
    "a name that is a list": b'{"type":"fixed","name":["q"],"size":3}',
    "a field that is none": b'{"type":"record","name":"q","fields":[1]}',
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_type_of_a_partition_value_is_refused(case):
    schema = HOSTILE[case]
    for field in (b'"name":"x"', b'"name":"partition","field-id":102', b'"name":"data_file","field-id":2'):
        schema = b'{"type":"record","name":"r%d","fields":[{%s,"type":%s}]}' % (len(schema), field, schema)
    size = 2 * len(schema)
    data = b"Obj\x01\x02\x16avro.schema%c%c%s\x00" % (size & 0x7F | 0x80, size >> 7, schema) + b"S" * 16
    with pytest.raises((MetadataCorrupt, LimitExceeded), match="an Avro "):
        parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1="long")))
