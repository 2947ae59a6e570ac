"""Hypothesis strategies of filters: SQL text and both of Iceberg's JSON grammars, valid and invalid.

JSON is generated as text: documents may be nested deeper than Python's ``json`` can write, and numbers may be long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Kind, Primitive

DEPTHS = (1, 2, 5, 15, 30, 33, 64, 65, 130, 260, 500, 990, 1_010, 2_000)
TEXTS = (
    "",
    "a",
    "abc",
    "it's",
    "zürich",
    "\U0001f600",
    "\u202e\u0000\ufeff",
    "\ud800",
    "%_\\",
    "x" * 3_000,
    "NaN",
    "DATE",
)
_INTEGERS = (0, 1, -1, 7, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63))
_HUGE = (2**63, 2**64, -(2**64), 10**30, 10**399, -(10**399), 10**400, 10**1_000)
_ODD_NUMBERS = ("1e5", "1.5", "-0.0", "1e308", "1e309", "-1e400", "1e999999999", "1e-999999999", "1e9999999999")
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_DATES = (
    "2024-05-01",
    "0001-01-01",
    "9999-12-31",
    "99999-01-01",
    "-4000-01-01",
    "999999999-12-31",
    "2024-02-30",
    "2024",
)
_TIMES = ("00:00:00", "23:59:59.999999", "12:30", "24:00:00", "1:2:3.123456789012", "x")
_ZONES = ("", "Z", "+00:00", "-18:00", "+99:99", " UTC")
_TRANSFORMS = (
    "identity",
    "year",
    "month",
    "day",
    "hour",
    "bucket[4]",
    "truncate[3]",
    "bucket[0]",
    "void",
    "nope",
    "t" * 99,
)


@dataclass(frozen=True)
class Asked:
    """A filter.

    Attributes:
        text: SQL, or the text of a JSON document.
        good: whether it must be accepted; a filter that is not good may be accepted as well.
    """

    text: str
    is_sql: bool
    good: bool = False


@dataclass(frozen=True)
class _Said:
    """A constant in SQL and in JSON."""

    sql: str
    json: str


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _plain(text: str) -> _Said:
    return _Said(_quoted(text), json.dumps(text))


def _right_constants(of: Primitive) -> tuple[_Said, ...]:
    """Return constants that every engine compares with values of the type."""
    match of.kind:
        case Kind.BOOLEAN:
            return _Said("TRUE", "true"), _Said("false", "false")
        case Kind.TINYINT | Kind.SMALLINT | Kind.INT | Kind.LONG | Kind.FLOAT | Kind.DOUBLE | Kind.DECIMAL:
            whole = [*_INTEGERS, 10**30, -(2**64), 10**399]
            return *(_Said(str(n), str(n)) for n in whole), _Said("1.25", "1.25"), _Said("-0.5", '"-0.5"')
        case Kind.DATE:
            return tuple(_Said(f"DATE '{d}'", f'"{d}"') for d in _DATES[:6])
        case Kind.TIME:
            return tuple(_Said(f"TIME '{t}'", f'"{t}"') for t in _TIMES[:3])
        case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            zone = "Z" if of.kind is Kind.TIMESTAMPTZ else ""
            texts = [f"{d}T{t}{zone}" for d in _DATES[:6] for t in _TIMES[:3]]
            return tuple(_Said(f"TIMESTAMP{'TZ' * bool(zone)} '{t}'", f'"{t}"') for t in texts)
        case Kind.STRING:
            return tuple(_plain(text) for text in TEXTS if "\ud800" not in text)
        case Kind.UUID:
            text = "f79c3e09-677c-4bbd-a479-3f349cb785e7"
            return (_Said(f"UUID '{text}'", f'"{text}"'),)
        case Kind.BINARY | Kind.FIXED:
            return _Said("X''", '""'), _Said("x'00fF'", '"00ff"'), _Said(f"X'{'ab' * 99}'", f'"{"ab" * 99}"')
    raise AssertionError(of)


_ANY = (
    *(_Said(str(n), str(n)) for n in (*_INTEGERS, *_HUGE)),
    *(_Said(n, n) for n in (*_ODD_NUMBERS, *_NOT_FINITE)),
    *(_Said(f"CAST('{n}' AS DOUBLE)", json.dumps(n)) for n in (*_ODD_NUMBERS, *_NOT_FINITE)),
    *(_Said(f"DECIMAL '{n}'", f'{{"type":"literal","value":{n},"data-type":"decimal(38, 2)"}}') for n in _ODD_NUMBERS),
    *(_plain(text) for text in (*TEXTS, *_DATES, *_TIMES)),
    *(_Said(f"DATE '{d}'", f'{{"type":"literal","value":"{d}","data-type":"date"}}') for d in _DATES),
    *(_Said(f"TIMESTAMP '{_DATES[0]} {t}{z}'", f'"{_DATES[4]}T{t}{z}"') for t in _TIMES for z in _ZONES),
    _Said("NULL", "null"),
    _Said("TRUE", "true"),
    _Said("X'0g'", '{"type":"literal","value":"0g","data-type":"fixed[2]"}'),
    _Said("CAST(1 AS DECIMAL(99, 2))", '{"type":"literal","value":1,"data-type":"struct"}'),
    _Said("1 + 1", "[]"),
    _Said("length('x')", "{}"),
)


@dataclass(frozen=True)
class Grammar:
    """Generates the filters of one table."""

    columns: tuple[tuple[str, Primitive], ...]

    @classmethod
    def of(cls, schema: Schema) -> Grammar:
        """Return the grammar for the columns that a comparison may name."""
        found = {(c.path, c.field.type) for named in schema.named.values() for c in named if not c.repeated}
        return cls(tuple(sorted(((path, of) for path, of in found if isinstance(of, Primitive)), key=str)))

    def filters(self, *, sql: bool) -> st.SearchStrategy[Asked]:
        """Return a strategy of valid filters, deeply nested ones and arbitrary ones."""
        right = _trees(self._right(sql=sql), sql=sql).filter(len).map(lambda text: Asked(text, sql, good=True))
        return st.one_of(right, self._deep(sql=sql), self._wrong(sql=sql))

    def _right(self, *, sql: bool) -> st.SearchStrategy[str]:
        return st.sampled_from(self.columns).flatmap(lambda column: _right_leaf(*column, sql=sql))

    def _any_leaf(self, *, sql: bool) -> st.SearchStrategy[str]:
        names = st.sampled_from([*(path for path, _ in self.columns), "nope", "", "a.b.c", *TEXTS])
        constants, ops = st.sampled_from(_ANY), st.sampled_from(_OPS)
        if sql:
            return st.builds(_any_sql, names, ops, st.lists(constants, max_size=4), st.integers(0, 5))
        terms = st.builds(_any_term, names, st.sampled_from(_TRANSFORMS), st.integers(0, 7))
        return st.builds(_any_json, terms, ops, st.lists(constants, max_size=4), st.integers(0, 6))

    def _wrong(self, *, sql: bool) -> st.SearchStrategy[Asked]:
        leaves = st.one_of(self._any_leaf(sql=sql), self._right(sql=sql))
        return _trees(leaves, sql=sql).map(lambda text: Asked(text, sql))

    def _deep(self, *, sql: bool) -> st.SearchStrategy[Asked]:
        shapes: Sequence[tuple[Callable[[str, int], str], int]] = _DEEP_SQL if sql else _DEEP_JSON

        def deep(shape: tuple[Callable[[str, int], str], int], depth: int, right: str, other: str) -> Asked:
            make, most = shape
            good = depth <= most
            return Asked(make(right if good else other, depth), sql, good)

        leaves = st.one_of(self._right(sql=sql), self._any_leaf(sql=sql))
        return st.builds(deep, st.sampled_from(shapes), st.sampled_from(DEPTHS), self._right(sql=sql), leaves)


_OPS = (
    *("is-null", "not-null", "is-nan", "not-nan", "eq", "not-eq", "lt", "lt-eq", "gt", "gt-eq"),
    *("in", "not-in", "starts-with", "not-starts-with", "LT_EQ", "like", "nope", "and", "not", "literal", "true"),
)
_SYMBOLS = {"eq": "=", "not-eq": "<>", "lt": "<", "lt-eq": "<=", "gt": ">", "gt-eq": ">="}


def _named(path: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in path.split("."))


def _right_leaf(path: str, of: Primitive, *, sql: bool) -> st.SearchStrategy[str]:
    constants = st.sampled_from(_right_constants(of))
    ops = ["is-null", "not-null", *_SYMBOLS, "in", "not-in"]
    ops += ["is-nan", "not-nan"] if of.kind in (Kind.FLOAT, Kind.DOUBLE) else []
    ops += ["starts-with", "not-starts-with"] if of.kind is Kind.STRING else []

    def leaf(op: str, said: list[_Said]) -> str:
        if sql:
            return _sql_leaf(path, op, said)
        return _json_leaf(json.dumps(path), op, said)

    return st.builds(leaf, st.sampled_from(ops), st.lists(constants, min_size=1, max_size=5))


def _sql_leaf(path: str, op: str, said: list[_Said]) -> str:
    name, constant = _named(path), said[0].sql
    match op:
        case "is-null" | "not-null":
            return f"{name} IS {'NOT ' * (op == 'not-null')}NULL"
        case "is-nan" | "not-nan":
            return f"{'NOT ' * (op == 'not-nan')}isnan({name})"
        case "in" | "not-in":
            return f"{name} {'NOT ' * (op == 'not-in')}IN ({', '.join(one.sql for one in said)})"
        case "starts-with" | "not-starts-with":
            return f"{'NOT ' * (op == 'not-starts-with')}starts_with({name}, {constant})"
    return f"{name} {_SYMBOLS[op]} {constant}"


def _json_leaf(term: str, op: str, said: list[_Said]) -> str:
    if op in ("is-null", "not-null", "is-nan", "not-nan"):
        return f'{{"type":"{op}","term":{term}}}'
    if op in ("in", "not-in"):
        return f'{{"type":"{op}","term":{term},"values":[{",".join(one.json for one in said)}]}}'
    return f'{{"type":"{op}","term":{term},"value":{said[0].json}}}'


def _any_sql(name: str, op: str, said: list[_Said], how: int) -> str:
    said = said or [_Said("", "")]
    if op in _SYMBOLS or op in ("is-null", "in", "not-in", "is-nan", "starts-with"):
        text = _sql_leaf(name, op, said)
    else:
        text = f"{_named(name)} {op.upper().replace('-', ' ')} {said[0].sql}"
    return (
        text,
        f"{said[0].sql} {_SYMBOLS.get(op, '=')} {said[-1].sql}",
        f"{name} BETWEEN {said[0].sql} AND {said[-1].sql}",
        f"abs({_named(name)}) {_SYMBOLS.get(op, '<=>')} {said[0].sql}",
        f"{_named(name)} LIKE {said[0].sql} ESCAPE {said[-1].sql}",
        f"CASE WHEN {text} THEN {said[0].sql} END",
    )[how]


def _any_term(name: str, transform: str, how: int) -> str:
    quoted = json.dumps(name)
    return (
        quoted,
        f'{{"type":"reference","name":{quoted}}}',
        f'{{"type":"reference","id":{10 ** (len(name) % 30)}}}',
        f'{{"type":"transform","transform":"{transform}","term":{quoted}}}',
        f'{{"type":"apply","function":"{transform}","arguments":[{{"type":"reference","name":{quoted}}}, 1e400]}}',
        f'{{"type":"apply","function":{{"catalog":"x","identifier":[{quoted}]}},"arguments":[{10**30}]}}',
        f'{{"type":"literal","value":{10**25},"data-type":"long"}}',
        f'{{"type":{quoted}}}',
    )[how]


def _any_json(term: str, op: str, said: list[_Said], how: int) -> str:
    said = said or [_Said("", '"x"')]
    one, values = said[0].json, ",".join(each.json for each in said)
    return (
        f'{{"type":"{op}","term":{term},"value":{one}}}',
        f'{{"type":"{op}","left":{term},"right":{one}}}',
        f'{{"type":"{op}","left":{one},"right":{term}}}',
        f'{{"type":"{op}","child":{term},"values":[{values}]}}',
        f'{{"type":"{op}","child":{term},"values":{{"type":"literals","data-type":"long","values":[{values}]}}}}',
        f'{{"type":"{op}","term":{term},"values":{one},"value":{one}}}',
        one,
    )[how]


def _trees(leaves: st.SearchStrategy[str], *, sql: bool) -> st.SearchStrategy[str]:
    """Return a strategy of AND, OR and NOT over leaves."""
    pair, negation = (_SQL_PAIR, "NOT ({})") if sql else (_JSON_PAIR, '{{"type":"not","child":{}}}')

    def wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pairs = st.builds(pair.format, left=inner, right=inner, kind=st.sampled_from(["and", "or"]))
        return st.one_of(pairs, st.builds(negation.format, inner))

    return st.recursive(leaves, wider, max_leaves=12)


_SQL_PAIR = "({left}) {kind} ({right})"
_JSON_PAIR = '{{"type":"{kind}","left":{left},"right":{right}}}'
_NO_LIMIT, _NEVER = 10**9, 0


def _around(before: str, after: str) -> Callable[[str, int], str]:
    def make(leaf: str, depth: int) -> str:
        shown = (before.replace("LEAF", leaf), after.replace("LEAF", leaf))
        return shown[0] * depth + leaf + shown[1] * depth

    return make


def _inside(before: str, after: str, whole: str) -> Callable[[str, int], str]:
    """Return a function that nests a leaf deeply inside something that is not an operator."""
    return lambda leaf, depth: whole.replace("TERM", before * depth + leaf + after * depth)


def _turns(leaf: str, depth: int) -> str:
    """Nest AND and OR alternately to a depth."""
    ends = []
    opening = ""
    for level in range(depth):
        opening += f'{{"type":"{("and", "or")[level % 2]}","left":{leaf},"right":'
        ends.append("}")
    return opening + leaf + "".join(ends)


_EQ_TERM, _ONE = '{"type":"eq","term":', '"value":1}'
_EQ_LEFT, _RIGHT = '{"type":"eq","left":', '"right":1}'
_AND, _OR = '{"type":"and","left":', '{"type":"or","left":'
_DEEP_JSON: Sequence[tuple[Callable[[str, int], str], int]] = (
    (_around(_AND, ',"right":LEAF}'), 500),
    (_around(_OR, ',"right":LEAF}'), 500),
    (_around('{"type":"and","left":LEAF,"right":', "}"), 500),
    (_around('{"type":"or","left":LEAF,"right":', "}"), 500),
    (_around('{"type":"not","child":', "}"), 30),
    (_around(_AND + '{"type":"not","child":', '},"right":LEAF}'), 15),
    (_turns, 30),
    (_around('{"type":"eq","term":"id","value":', "}"), _NEVER),
    (_inside('{"type":"transform","transform":"day","term":', "}", f"{_EQ_TERM}TERM,{_ONE}"), _NEVER),
    (_inside('{"type":"apply","function":"f","arguments":[', "]}", f"{_EQ_LEFT}TERM,{_RIGHT}"), _NEVER),
    (_inside('{"type":"apply","function":"day","arguments":[', "]}", f"{_EQ_LEFT}TERM,{_RIGHT}"), _NEVER),
    (_inside("[", "]", '{"type":"in","term":"id","values":TERM}'), _NEVER),
    (_inside('{"type":"literal","value":', "}", f'{_EQ_TERM}"id","value":TERM}}'), _NEVER),
    (_inside("[", "]", '{"type":"and","extra":TERM,"left":true,"right":true}'), _NEVER),
    (lambda _, n: '{"type":"in","term":"id","values":[' + ",".join([str(10**30)] * (n * 15)) + "]}", _NEVER),
)
_DEEP_SQL: Sequence[tuple[Callable[[str, int], str], int]] = (
    (lambda leaf, n: " AND ".join([leaf] * n), 260),
    (lambda leaf, n: " or ".join([leaf] * n), 260),
    (_around("(", ")"), 30),
    (_around("NOT (", ")"), 15),
    (_around("NOT ", ""), 30),
    (_around("(LEAF AND ", ")"), 30),
    (_around("(", " AND LEAF)"), 30),
    (_around("(LEAF AND NOT (LEAF OR ", "))"), 10),
    (lambda leaf, n: "id = " + "(" * n + "1" + ")" * n, _NEVER),
    (lambda leaf, n: "(" * n + leaf, _NEVER),
    (lambda leaf, n: "f(" * n + leaf + ")" * n, _NEVER),
    (lambda leaf, n: "CASE WHEN " * n + leaf + " THEN 1 END" * n, _NEVER),
    (lambda leaf, n: "- " * n + "1 < " + "- " * n + "2", _NEVER),
    (lambda leaf, n: "id IN (" + ", ".join(["1"] * (n * 15)) + ")", _NEVER),
    (lambda leaf, n: "id IN (" * n + leaf + ")" * n, _NEVER),
    (lambda leaf, n: "CAST(" * n + "1" + " AS INT)" * n + " = 1", _NEVER),
    (lambda leaf, n: "a." * n + "b = 1", _NEVER),
    (lambda leaf, n: "id BETWEEN " * n + "1 AND 2", _NEVER),
)
