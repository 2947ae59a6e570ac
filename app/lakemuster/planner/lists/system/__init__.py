"""Paimon's system tables: the columns of its own ``$…`` tables, in its names and types."""
