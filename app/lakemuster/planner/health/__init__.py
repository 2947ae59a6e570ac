"""Measure a table's health, and return commands that improve it; ``metadata.health`` derives statuses from this."""
