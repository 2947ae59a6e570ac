"""The read path's rules for Iceberg."""
