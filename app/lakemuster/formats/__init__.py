"""Parsers of metadata files, from bytes to metadata: Iceberg, Paimon and Avro containers."""
