"""Queries of the tables: ``{t}`` stands for the table, ``{c}`` for the catalog.

``{s0}``, ``{s1}`` … are the table's snapshots in commit order, ``{at0}`` … their times.
"""

from __future__ import annotations

# Predicates on the wide tables. Iceberg evaluates most of them; of the last it evaluates nothing, or a part.
WHERE = [
    "id = 41",
    "id <> 41 AND id < 50",
    "id > 3000000000",
    "id IN (0, 7, 61, 102, 4711)",
    "id NOT IN (0, 7, 61) AND id <= 12",
    "NOT (id BETWEEN 5 AND 70)",
    "id <=> 9",
    "flag",
    "flag IS NULL AND id > 30",
    "NOT flag OR flag IS NULL",
    "flag <=> NULL",
    "smaller >= 150",
    "smaller = -50",
    "ratio = double('NaN')",
    "ratio <> double('NaN') AND ratio < 3.0",
    "ratio > 30",
    "score IS NULL",
    "score IS NOT NULL AND isnan(score)",
    "score >= -30.0D",
    "score < -100.0D",
    "score = 0.0D",
    "price = 10.25",
    "price NOT IN (10.25, 1) AND price > 15",
    "wide > 12345678901234567970.5",
    "day = DATE '1970-01-01'",
    "day < DATE '1969-12-31'",
    "day IN (DATE '1969-12-30', DATE '2024-01-01')",
    "local > TIMESTAMP_NTZ '2024-01-03 23:00:00.000020'",
    "local BETWEEN TIMESTAMP_NTZ '2024-01-01' AND TIMESTAMP_NTZ '2024-01-01 05:00:00'",
    "instant >= TIMESTAMP '2024-03-01 02:00:00'",
    "instant < TIMESTAMP '2024-02-29 22:31:00'",
    "instant >= TIMESTAMP '2024-03-01 00:00:00' AND instant < TIMESTAMP '2024-03-01 01:00:00' AND flag",
    "name LIKE 'alder%'",
    "name LIKE 'é𝄞 %'",
    "NOT name LIKE 'alder 4%'",
    "name LIKE '%1'",
    "name = 'Birch 14'",
    "name >= 'é'",
    "name IS NULL",
    "name = ''",
    "place.lat > 7.5",
    "place.city = 'town 1'",
    "place.city LIKE 'city%' AND place.height > 75",
    "place.height IS NULL AND id > 40",
    "place IS NOT NULL AND id < 3",
    "later = 'later 3'",
    "later IS NULL AND id > 70",
    "later IS NOT NULL",
    "later <> 'merged'",
    "`odd.näme x` = 4",
    "(id < 10 AND name LIKE 'B%') OR (later = 'merged' AND price > 13)",
    "id = 1 AND id = 2",
    "{c}.system.bucket(2, id) = 1 AND id < 20",
    "{c}.system.days(instant) = DATE '2024-03-01'",
    "{c}.system.hours(instant) = 474792",
    "{c}.system.truncate(2, name) = 'al'",
    "{c}.system.truncate(10, smaller) IN (0, 150)",
    "CAST(instant AS date) = DATE '2024-03-01'",
    "hour(instant) = 23",
    "words[1] = 't41'",
    "counts['k'] > 70",
    "length(name) > 8 AND id > 40",
    "rand() < 2 AND id = 8",
]

# Whole SELECTs on the wide tables.
SELECTS = [
    "SELECT * FROM {t}",
    "SELECT place.city, words, counts FROM {t} WHERE day = DATE '1970-01-01'",
    "SELECT count(*) FROM {t}",
    "SELECT count(*), count(name), min(id), max(price), min(name), max(instant), min(score) FROM {t}",
    "SELECT count(*) FROM {t} WHERE flag",
    "SELECT count(*) FROM {t} WHERE instant < TIMESTAMP '2024-03-01 00:00:00'",
    "SELECT flag, count(*), sum(price), avg(smaller) FROM {t} GROUP BY flag",
    "SELECT DISTINCT day FROM {t} WHERE id > 20",
    "SELECT id FROM {t} ORDER BY id DESC LIMIT 5",
    "SELECT count(*) FROM (SELECT * FROM {t} LIMIT 7)",
    "SELECT a.id, b.name FROM {t} a JOIN {t} b ON a.id = b.smaller WHERE a.flag",
    "SELECT a.id FROM {t} a LEFT ANTI JOIN {t} b ON a.id = b.id + 1 AND b.flag",
    "SELECT f.id, d.label FROM {t} f JOIN {c}.db.flags d ON f.flag = d.flag WHERE d.label = 'yes'",
    "SELECT id FROM {t} WHERE id IN (SELECT smaller FROM {t} WHERE price < 20)",
    "SELECT id FROM {t} a WHERE EXISTS (SELECT 1 FROM {t} b WHERE b.id = a.id + 2 AND b.later IS NULL)",
    "SELECT id FROM {t} WHERE price > (SELECT avg(price) FROM {t})",
    "SELECT id, _spec_id, _pos FROM {t} WHERE id < 30",
    "SELECT id FROM {t} UNION ALL SELECT smaller FROM {t} WHERE day = DATE '1970-01-02'",
    "SELECT id, small, blob FROM {t} VERSION AS OF 'opened' WHERE id < 20 AND name LIKE 'B%'",
    "SELECT * FROM {t} VERSION AS OF 'before evolution' WHERE ratio < 5",
    "SELECT count(*), sum(ratio) FROM {t} VERSION AS OF 'before evolution' WHERE day = DATE '1969-12-31'",
    "SELECT * FROM {t} VERSION AS OF 'audit' WHERE id > 80 OR id < 10",
    "SELECT id, later FROM {t}.branch_audit WHERE later = 'merged'",
    "SELECT id FROM {t}.tag_opened WHERE name LIKE 'alder%'",
    "SELECT count(*) FROM {t} VERSION AS OF {s0}",
    "SELECT id, score FROM {t} VERSION AS OF {s1} WHERE isnan(score)",
    "SELECT id FROM {t} VERSION AS OF {s2} WHERE id BETWEEN 2 AND 24",
    "SELECT id, score FROM {t} VERSION AS OF {s3} WHERE isnan(score)",
    "SELECT id, smaller FROM {t} VERSION AS OF {s4} WHERE smaller > 170",
    "SELECT id FROM {t} TIMESTAMP AS OF '{at1}' WHERE id % 10 = 3",
    "SELECT id, name FROM {t} TIMESTAMP AS OF '{at3}' WHERE name IS NULL AND id > 15",
    "SELECT id FROM {t} TIMESTAMP AS OF '{at4}' WHERE id > 55",
    "SELECT a.id, a.name FROM {t} a JOIN {t} VERSION AS OF 'opened' b USING (id) WHERE a.name IS NULL AND b.name > ''",
    "SELECT snapshot_id, operation FROM {t}.snapshots",
    "SELECT name, type FROM {t}.refs",
]

# Predicates on columns that were renamed or dropped later, with equivalents that only Spark evaluates.
PAST = {
    "'opened' WHERE small < 40": "'opened' WHERE coalesce(small, 0) < 40",
    "'opened' WHERE place.town = 'town 1'": "'opened' WHERE coalesce(place.town, '') = 'town 1'",
    "'before evolution' WHERE blob > X'7834'": "'before evolution' WHERE coalesce(blob, X'') > X'7834'",
}
# For Spark, NaN is greater than every number, for Iceberg it is not: a plain catalog skips files and rows that only
# NaN matches. These are equivalents that are not pushed down to Iceberg.
NAN_IS_ABOVE = {
    "ratio > 30": "ratio + 0 > 30",
    "ratio > 1": "ratio + 0 > 1",
    "score >= -30.0D": "score + 0 >= -30.0D",
}
# Queries whose results differ between the wide tables.
OWN = {query for query in SELECTS if any(word in query for word in ("_pos", ".snapshots", "{s0}"))}
# Queries without a scan plan: those of metadata alone, and those that Spark recognizes as empty.
WITHOUT_PLANS = {query for query in SELECTS if ".snapshots" in query or ".refs" in query} | {
    "SELECT id, name, ratio FROM {t} WHERE id = 1 AND id = 2"
}

# Spark prunes the partitions of one side once it has the rows of the other.
SEMI_JOIN = "part IN (SELECT smaller FROM {c}.db.v2_marks WHERE flag AND id < 60)"

# Queries of the other tables.
OTHERS = {
    "transforms": [
        "*",
        "category = 'c/1'",
        "category IS NULL",
        "category <> 'c/1'",
        "category LIKE 'c/%' AND id > 30",
        "NOT category LIKE 'c/2%'",
        "number = 7",
        "number IN (-8, 0, 11, 35)",
        "number <> 7 AND number > 0",
        "number < -4",
        "day >= DATE '1971-06-01'",
        "day = DATE '1969-12-30'",
        "day < DATE '1970-01-01'",
        "day BETWEEN DATE '1970-02-01' AND DATE '1970-02-28'",
        "ratio = 2",
        "ratio <> 2",
        "isnan(ratio)",
        "ratio > 1",
        "ratio IN (0, double('NaN'))",
        "price = 4.5",
        "price IN (1.25, 5, 6.25)",
        "local < TIMESTAMP_NTZ '1971-01-01'",
        "local >= TIMESTAMP_NTZ '1972-12-31' AND ratio = 1",
        "blob = X'623435'",
        "blob < X'6233'",
        "{c}.system.bucket(3, price) = 2",
        "{c}.system.years(local) = 3",
        "{c}.system.months(day) > 20",
        "{c}.system.truncate(5, number) = 15",
    ],
    "avro": ["*", "id > 17", "isnan(ratio)", "place.x = 4", "name LIKE 'name 1%'", "name <> 'name 5'"],
    "orc": ["*", "id > 17", "isnan(ratio)", "place.x = 4", "name LIKE 'name 1%'", "ratio < 3"],
    "equality": [
        "*",
        "id > 30",
        "part = 2",
        "name IS NULL",
        "ratio = 2",
        "isnan(ratio)",
        "id = 14",
        "part = 0 AND id > 9",
    ],
    "typed": [
        "*",
        "key = '15000000-0000-4000-8000-000000000001'",
        "key > '80000000-0000-4000-8000-000000000000'",
        "key IN ('7e000000-0000-4000-8000-000000000006', 'd2000000-0000-4000-8000-00000000000a')",
        "key IS NULL",
        "code = X'636f6444'",
        "code >= X'636f6448'",
        "ratio IS NULL",
        "ratio = float(0.5)",
        "ratio <> float(0.5)",
        "local < TIMESTAMP_NTZ '1970-01-01'",
        "local >= TIMESTAMP_NTZ '1970-01-03 00:00:00'",
        "price < 0",
        "price = 5000.875",
        "price IN (1000.375, 9001.375, 1)",
    ],
    "defaults": [
        "*",
        "number = 7",
        "number <> 7",
        "number IS NULL",
        "word = 'before'",
        "word LIKE 'aft%'",
        "word IS NOT NULL AND id > 3",
        "day < DATE '2024-03-01'",
        "day = DATE '2024-03-01'",
        "variant_get(v, '$.a', 'int') = 6",
    ],
    "many": ["part = 17", "part < 20", "id > 190", "part IN (3, 30, 130)", "part >= 0", "*", SEMI_JOIN],
    "empty": ["*", "id = 1"],
    "flags": ["*", "label = 'yes'"],
}


def selects(table: str) -> list[str]:
    """Return all queries of a table."""
    if table not in OTHERS:
        return [f"SELECT id, name, ratio FROM {{t}} WHERE {where}" for where in WHERE] + SELECTS
    return [f"SELECT * FROM {{t}}{'' if where == '*' else f' WHERE {where}'}" for where in OTHERS[table]]


def as_meant(query: str) -> str:
    """Return the equivalent query that a plain catalog answers correctly."""
    for written, meant in NAN_IS_ABOVE.items():
        query = query.replace(written, meant)
    return query
