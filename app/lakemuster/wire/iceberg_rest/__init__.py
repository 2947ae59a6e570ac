"""The JSON of the Iceberg REST catalog protocol."""
