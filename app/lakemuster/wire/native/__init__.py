"""The JSON of ``/api/v1``."""
