"""Attached catalogs: other services that say which metadata of a table is current.

``rest`` asks an Iceberg REST catalog for a table's pointer, ``oauth`` and ``sigv4`` sign in there, ``connection`` tells
where a catalog's requests go, ``breaker`` stops asking one that does not answer, ``locations`` spells a table of a
catalog as a location, and ``registry`` opens all that the settings name.
"""
