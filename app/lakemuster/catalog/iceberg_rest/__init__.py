"""Use cases of the Iceberg REST catalog, independent of HTTP: table documents, plans as tasks, and their tokens."""
