"""What the Iceberg REST catalog answers, without HTTP: tables as documents, plans as tasks, and their tokens."""
