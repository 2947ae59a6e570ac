"""Paimon's system tables (``$files``, ``$partitions`` …) with Paimon's column names and types."""
