"""Keywords and signs of SQL expressions, by their position."""

from __future__ import annotations

OPERATORS = frozenset(("=", "==", "!=", "<>", "<", "<=", ">", ">=", "<=>", "+", "-", "*", "/", "%", "|", "&", "^"))
JSON = {"->": "json_extract", "->>": "json_extract_scalar"}
INFIX = frozenset(("AND", "OR", "XOR", "IN", "BETWEEN", "LIKE", "ILIKE", "GLOB", "DIV", "OVERLAPS", "ESCAPE"))
MATCHES = frozenset(("RLIKE", "REGEXP"))
IN_CALLS = frozenset(("FROM", "FOR", "USING", "SEPARATOR", "PLACING"))
IN_CASE = frozenset(("WHEN", "THEN", "ELSE"))
AFTER_OPERANDS = frozenset(("ISNULL", "NOTNULL", "NULLS", "RESPECT", "IGNORE"))
AFTER_INNER_OPERANDS = AFTER_OPERANDS | {"ASC", "DESC", "FIRST", "LAST"}
BEFORE_OPERANDS = frozenset(("DISTINCT", "ALL", "BOTH", "LEADING", "TRAILING", "WHERE"))
QUANTIFIERS = frozenset(("ALL", "ANY", "SOME"))
NO_OPERANDS = INFIX | MATCHES | IN_CASE | {"IS", "AS", "SELECT", "FROM", "WHERE", "ON", "USING", "HAVING", "UNION"}
CONSTANTS = frozenset(("NULL", "TRUE", "FALSE"))
TESTS = frozenset(("NAN", "UNKNOWN", "JSON"))
TYPED = frozenset(
    (
        *("DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATETIME", "UUID"),
        *("DECIMAL", "BIGINT", "DOUBLE", "REAL"),
    )
)
LITERALS = {"ARRAY": "array", "MAP": "map", "STRUCT": "struct"}
NILADIC = frozenset(
    (
        *("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_DATETIME", "CURRENT_USER"),
        *("LOCALTIME", "LOCALTIMESTAMP"),
    )
)
QUERIES = frozenset(("SELECT", "WITH", "VALUES"))
UNITS = frozenset(
    (
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"),
        *("MILLISECOND", "MICROSECOND", "NANOSECOND", "EPOCH", "DOW", "DOY", "NAN"),
    )
)
"""Words that are arguments of functions, not columns."""
