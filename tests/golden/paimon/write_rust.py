"""Writer of ``tables/rust``: run ``main(warehouse)`` beside pypaimon-rust; data files are not stored."""

from pypaimon_rust.datafusion import SQLContext

STATEMENTS = [
    "CREATE SCHEMA p.db",
    """CREATE TABLE p.db.plain (id INT, name STRING, d DATE, ts TIMESTAMP, price DECIMAL(10, 2), big DECIMAL(30, 4),
    flag BOOLEAN, x DOUBLE, f FLOAT, t BIGINT)""",
    *(
        f"INSERT INTO p.db.plain VALUES ({i}, 'name number {i}', DATE '2024-01-0{i + 1}', "
        f"TIMESTAMP '2024-01-01 00:00:0{i}.123', {i}.25, 123456789012345678901234.{i}, true, 1.5, 2.5, {i * 10**10}), "
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
        for i in range(3)
    ),
    "DELETE FROM p.db.plain WHERE id = 1",
    "CALL sys.create_tag(table => 'p.db.plain', tag => 'early', snapshot_id => 2)",
    "CREATE TABLE p.db.parted (id INT, dt STRING, at TIMESTAMP(6)) PARTITIONED BY (dt, at)",
    """INSERT INTO p.db.parted VALUES
    (1, '2024-01-01', TIMESTAMP '2024-01-01 10:00:00.000005'), (2, NULL, NULL), (3, '', NULL)""",
    "INSERT OVERWRITE p.db.parted VALUES (9, '2024-01-01', TIMESTAMP '2024-01-01 10:00:00.000005')",
    """CREATE TABLE p.db.keyed (id INT NOT NULL, v STRING, dt DATE NOT NULL, PRIMARY KEY (id, dt))
    PARTITIONED BY (dt) WITH ('bucket' = '2')""",
    "INSERT INTO p.db.keyed VALUES (1, 'a', DATE '2024-01-01'), (2, 'bbbbbbbbbbbbbbbb', DATE '2024-01-02')",
    "INSERT INTO p.db.keyed VALUES (1, 'a2', DATE '2024-01-01')",
    "CREATE TABLE p.db.dynamic (id INT NOT NULL, v STRING, PRIMARY KEY (id)) WITH ('bucket' = '-1')",
    "INSERT INTO p.db.dynamic VALUES (1, 'a'), (2, 'b')",
]


def main(warehouse):
    context = SQLContext()
    context.register_catalog("p", {"warehouse": warehouse})
    for statement in STATEMENTS:
        context.sql(statement)
