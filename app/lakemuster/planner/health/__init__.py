"""What is measured of a table's health, and which command mends it. Statuses follow from it in ``metadata.health``."""
