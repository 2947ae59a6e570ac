"""Attached catalogs: other services that say which metadata of a table is current.

``protocol`` is the port: a table's pointer, and all tables. ``rest`` asks an Iceberg REST catalog (``oauth`` and
``sigv4`` sign in there, ``vended`` keeps the credentials that it vends), ``hive`` a Hive Metastore over
``hive_connection``, ``glue`` AWS Glue, ``sql`` the database of an SQL catalog, ``paimon_rest`` a Paimon REST catalog,
and ``paimon_folders`` lists a Paimon warehouse. ``connections`` opens connections, ``http_upstream`` and ``deadlines``
bound the time of requests, ``breaker`` stops asking a catalog that does not answer, ``locations`` spells a table of a
catalog as a location, and ``registry`` opens all that the settings name.
"""
