"""The Iceberg REST catalog protocol, read side and scan planning, below ``/iceberg/v1``.

Registered Iceberg tables of two levels and more appear, in the namespaces that their names imply; Paimon tables do
not. There is one warehouse and no prefix. Nothing is written: the protocol's writes are refused in its own words.

Source: the Iceberg REST catalog OpenAPI document.
"""
