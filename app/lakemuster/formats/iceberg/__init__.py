"""Apache Iceberg, format versions 1 to 3: bytes to metadata, manifests and values.

* ``pointers``        which metadata file is the current one, from names and hints
* ``table_metadata``  the metadata file; ``gzipped``, ``json_text``, ``document``: its bytes, its text and its JSON
* ``schemas``         schemas and types; ``specs``: partition specs
* ``manifest_lists``  headers of manifests, with typed partition bounds
* ``manifests``       entries as aligned columns, and the values they inherit; ``avro_fields``: columns by field id
* ``partitions``      partition tuples as columns; ``statistics``: maps of statistics as columns
* ``values``          single values as bytes; ``slices``, ``decimals``: columns of them
* ``deletion_vectors``  blobs of Puffin files
"""
