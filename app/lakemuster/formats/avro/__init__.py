"""Avro container files: bytes to Arrow, or to an error; never to fewer rows.

* ``container``  header and blocks, every number checked before it is used
* ``codecs``     inflating a block up to a limit
* ``schema``     the writer's schema as a bounded tree, and the plain one that decoders get
* ``native``     our own decoder, compiled
* ``engines``    DataFusion and fastavro where that does not load, each proving that it used every byte
* ``arrow``      the decoders' values to the promised columns
* ``table``      all of it: a file to a table
"""

from __future__ import annotations

from lakemuster.formats.avro.container import AvroHeader, read_header
from lakemuster.formats.avro.engines import prepare_decoders
from lakemuster.formats.avro.native import Columns, Widths
from lakemuster.formats.avro.table import Engine, read_keyed, read_table

__all__ = ["AvroHeader", "Columns", "Engine", "Widths", "prepare_decoders", "read_header", "read_keyed", "read_table"]
