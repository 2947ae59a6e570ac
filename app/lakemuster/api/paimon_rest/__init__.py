"""The Paimon REST catalog protocol, read side, below ``/paimon/v1``.

The catalog shows registered Paimon tables whose names have two levels or more. The last level is the table, the levels
before it are the database, dotted as in Lakemuster's names (``a.b.c`` is table ``c`` of database ``a.b``). It does not
show Iceberg tables, nor tables whose last level contains ``$``, Paimon's separator of branches and system tables. The
database ``default`` exists even without tables, and is listed once it has one. There is one warehouse and one prefix.

Clients get a table's location, its newest schema and its newest snapshot, and read manifests and data files themselves,
with their own credentials. Writes are rejected with the protocol's own error.

Source: the Paimon REST catalog OpenAPI document; Paimon ``RESTApi``, ``RESTCatalog``, ``DefaultErrorHandler``.
"""
