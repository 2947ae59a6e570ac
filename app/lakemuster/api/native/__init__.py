"""``/api/v1``: parse, call, shape."""
