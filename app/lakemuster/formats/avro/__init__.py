"""Decode Avro container files to Arrow tables: every row, or an error.

* ``container``  header and blocks, every number checked before it is used
* ``codecs``     decompression of a block, up to a limit
* ``schema``     the writer's schema as a bounded tree, and the plain schema that decoders get
* ``native``     our own decoder, compiled
* ``reference``  fastavro, checked to use every byte: the reference, and the decoder where no kernel loads
* ``arrow``      the decoders' raw values to typed columns
* ``table``      the entry points: a whole file to a table
"""

from __future__ import annotations

from lakemuster.formats.avro.container import AvroHeader, read_header
from lakemuster.formats.avro.native import Columns, Widths
from lakemuster.formats.avro.reference import prepare_decoders
from lakemuster.formats.avro.table import Engine, checked_schema, read_keyed, read_table

__all__ = [
    "AvroHeader",
    "Columns",
    "Engine",
    "Widths",
    "checked_schema",
    "prepare_decoders",
    "read_header",
    "read_keyed",
    "read_table",
]
