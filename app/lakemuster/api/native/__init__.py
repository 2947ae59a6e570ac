"""The native API below ``/api/v1``: parse the request, call the catalog, build the response."""
