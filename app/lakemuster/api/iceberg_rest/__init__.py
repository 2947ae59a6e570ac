"""The Iceberg REST catalog protocol, read side and scan planning, below ``/iceberg/v1``.

The catalog shows registered Iceberg tables whose names have two levels or more, in the namespaces that the names imply.
It does not show Paimon tables. There is one warehouse and no prefix. Writes are refused with the protocol's own error.

Source: the Iceberg REST catalog OpenAPI document.
"""
