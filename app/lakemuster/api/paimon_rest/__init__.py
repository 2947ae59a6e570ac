"""The Paimon REST catalog protocol, read side, below ``/paimon/v1``.

Registered Paimon tables of two levels and more appear: the last level is the table, what stands before it is the
database, dotted as Lakemuster spells names (``a.b.c`` is table ``c`` of database ``a.b``). Iceberg tables do not
appear, nor do tables whose own name holds a ``$``, which in Paimon sets a branch or a system table apart. The
database ``default`` exists without tables too, and is listed once it has one. There is one warehouse, and one prefix.

Clients get a table's place, its newest schema and its newest snapshot, and read manifests and data files themselves,
with credentials of their own. Nothing is written: the protocol's writes are refused in its own words.

Source: the Paimon REST catalog OpenAPI document; Paimon ``RESTApi``, ``RESTCatalog``, ``DefaultErrorHandler``.
"""
