"""The JSON of responses and requests: shapes, values and rows of lists."""
