"""Attached catalogs: external services that hold the pointers to the current metadata of tables.

``protocol`` is the port: a table's pointer, and the list of all tables. Its implementations are ``rest`` (Iceberg REST
catalogs; ``oauth`` and ``sigv4`` authenticate there, ``vended`` caches the credentials that they vend), ``hive`` (Hive
Metastores, over ``hive_connection``), ``glue`` (AWS Glue), ``sql`` (the databases of SQL catalogs), ``paimon_rest``
(Paimon REST catalogs) and ``paimon_folders`` (Paimon warehouses, by listing them). ``connections`` configures HTTP
connections, ``http_upstream`` and ``deadlines`` bound the time of requests, ``request_semaphore`` limits their number,
``breaker`` is a circuit breaker, ``locations`` writes a table of a catalog as a location, and ``registry`` opens all
catalogs of the settings.
"""
