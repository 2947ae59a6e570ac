"""The Iceberg REST catalog protocol, read side and scan planning, below ``/iceberg/v1``.

The catalog shows registered Iceberg tables, and Iceberg companions of Paimon tables, whose names have two levels or
more, in the namespaces that the names imply. It has one warehouse and no prefix; an attached catalog is served below
its name as the prefix. Writes are rejected with the protocol's own error.

Source: the Iceberg REST catalog OpenAPI document.
"""
