"""Exit statuses: 0 done, 1 a failure in one line on stderr, 2 wrong usage."""

from __future__ import annotations

import errno
from datetime import UTC, datetime, timedelta

import pytest

from lakemuster.cli.options import parse_rewrites, parse_time
from lakemuster.client.errors import ClientError
from lakemuster.errors import IndexUnavailable
from tests.unit.cli.commands import Shelf, run


@pytest.mark.parametrize(
    "words",
    [
        ("fiels", "t"),
        ("files",),
        ("files", "t", "--snapshot", "x"),
        ("files", "t", "--snapshot", "9223372036854775808"),
        ("files", "t", "--ref", ""),
        ("timeline", "t", "--ref", ""),
        ("expiry", "t", "--ref", ""),
        ("files", "t", "--snapshot", "1", "--ref", "main"),
        ("files", "t", "--ref", "a", "--as-of", "2024-05-01"),
        ("files", "t", "--as-of", "yesterday"),
        ("files", "t", "--limit", "0"),
        ("manifests", "t", "--where", "x = 1"),
        ("snapshots", "t", "--where", "x = 1"),
        ("refs", "t", "--where", "x = 1"),
        ("files", "t", "--where", '{"type": '),
        ("plan", "t", "--where", '{"type": '),
        ("plan", "t", "--limit", "0"),
        ("plan", "t", "--snapshot", "1", "--as-of", "2024-05-01"),
        ("explain", "t", "--where", "{}}"),
        ("files", "t", "--uri", "ftp://lake"),
        ("files", "t", "--uri", "lake:8181"),
        ("files", "t", "--token", "x"),
        ("files", "t", "--token-env", "X"),
        ("files", "t", "--uri", "http://lake", "--token-env", "NOT_SET"),
        ("files", "t", "--uri", "http://lake", "--token", "x", "--token-env", "PATH"),
        ("add", "t"),
        ("add", "t", "s3://x/y", "--format", "delta"),
        ("add", "t", "s3://x/y", "--rewrite", "no-equals-sign"),
        ("refresh",),
        ("refresh", "t", "--all"),
        ("index",),
        ("index", "t", "--engine", "flink"),
        ("serve", "--port", "65536"),
        ("serve", "--workers", "0"),
        ("serve", "--demo", "--database-url", "sqlite:///mine.db"),
        ("token",),
        ("token", "me", "--scope", "root"),
        ("diff", "t"),
        ("overlap", "t"),
        ("overlap", "t", "c", "--where", "x = 1"),
        ("bounds", "t"),
        ("bounds", "t", "c", "--groups", "0"),
        ("diff", "t", "1", "2", "--ref", "main"),
        ("diff", "t", "9223372036854775808"),
        ("diff", "t", "1", "9223372036854775808"),
    ],
)
def test_wrong_usage_is_2_and_says_why(use, words):
    use(Shelf())
    done = run(*words)
    assert done.status == 2
    assert done.out == ""
    assert "Usage: lakemuster" in done.err
    assert "Traceback" not in done.err


def test_the_help_of_a_sorted_list_tells_what_it_needs():
    assert "together with --top" in " ".join(run("files", "--help").out.split())
    assert "together with --top" not in " ".join(run("snapshots", "--help").out.split())


def test_a_system_table_behind_its_table_is_told_the_order(use):
    use(Shelf())
    done = run("system", "shop.orders", "snapshots")
    assert done.status == 2
    assert "the system table comes first: system snapshots shop.orders" in " ".join(done.err.split())


@pytest.mark.parametrize(("text", "age"), [("3d", timedelta(days=3)), ("36h", timedelta(hours=36))])
def test_expiry_takes_an_age_for_a_time(use, text, age):
    shelf = use(Shelf(expired=[]))
    assert run("expiry", "t", "--files", "--older-than", text).status == 0
    since = datetime.now(UTC) - datetime.fromisoformat(shelf.queries[0].options["older_than"])
    assert age <= since < age + timedelta(minutes=1)
    assert run("expiry", "t", "--files", "--older-than", "999999999d").status == 2


def test_a_choice_of_tables_is_not_for_one_table(use):
    use(Shelf())
    done = run("health", "t", "--status", "ok")
    assert done.status == 2
    assert "--status: cannot be given together with a table" in " ".join(done.err.split())


def test_a_foreseen_failure_is_one_line_and_1(use):
    use(Shelf(tables=[IndexUnavailable("the database\ndoes not\x1b[31m answer")]))
    done = run("tables")
    assert (done.status, done.out) == (1, "")
    assert done.err == "lakemuster: the database does not\\x1b[31m answer\n"


def test_a_refused_token_is_told_with_the_options_for_it(use):
    use(Shelf(tables=[ClientError("send a token", code="not_authenticated", status=401)]))
    where = "on the command line: LAKEMUSTER_TOKEN, --token-env or --token-file"
    assert run("tables").err == f"lakemuster: send a token ({where})\n"


def test_an_unforeseen_failure_shows_neither_its_text_nor_a_trace(use):
    use(Shelf(tables=[KeyError("password=secret")]))
    done = run("tables")
    assert done.status == 1
    assert done.err == "lakemuster: unexpected error (KeyError); --debug shows where\n"


@pytest.mark.parametrize("words", [("--debug", "tables"), ("tables", "--debug"), ("tables", "--json", "--debug")])
def test_debug_shows_the_trace_wherever_it_stands(use, words):
    use(Shelf(tables=[KeyError("details")]))
    done = run(*words)
    assert done.status == 1
    assert "Traceback (most recent call last)" in done.err
    assert "details" in done.err


def test_debug_behind_two_dashes_is_a_name(use):
    shelf = use(Shelf(files=[]))
    assert run("files", "--", "--debug").status == 0
    assert shelf.queries[0].table == "--debug"


def test_a_closed_pipe_is_no_failure(use):
    use(Shelf(tables=[BrokenPipeError(errno.EPIPE, "Broken pipe")]))
    done = run("tables")
    assert (done.status, done.err) == (0, "")


def test_version_and_help_are_done():
    assert run("--version").out.startswith("lakemuster 0.")
    done = run("--help")
    assert done.status == 0
    assert "serve" in done.out


@pytest.mark.parametrize(
    ("words", "pairs"),
    [
        (None, ()),
        (["data/old=/new"], (("data/old", "/new"),)),
        (["hdfs://a:8020/x=s3://b/x", "./y=/z"], (("hdfs://a:8020/x", "s3://b/x"), ("./y", "/z"))),
        (["a=b=c"], (("a", "b=c"),)),
    ],
)
def test_rewrites_are_parted_at_the_first_equals_sign(words, pairs):
    assert parse_rewrites(words) == pairs


def test_a_time_without_a_zone_is_utc():
    moment = parse_time("2024-05-01T12:30")
    assert moment is not None
    assert moment.isoformat() == "2024-05-01T12:30:00+00:00"
