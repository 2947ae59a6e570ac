"""The services and environments that tests use are real, and their locks are enforced."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import psycopg
import pytest
import sqlalchemy

from tests.beside import python_of
from tests.tree import ROOT


def test_postgres_is_real_and_each_database_is_empty(postgres_server, postgres_url):
    engine = sqlalchemy.create_engine(postgres_url)
    with engine.begin() as connection:
        assert "PostgreSQL" in str(connection.scalar(sqlalchemy.text("select version()")))
        connection.execute(sqlalchemy.text("create table here (id bigint)"))
    engine.dispose()
    with postgres_server.database() as other:
        engine = sqlalchemy.create_engine(other)
        with engine.connect() as connection, pytest.raises(sqlalchemy.exc.ProgrammingError) as refusal:
            connection.execute(sqlalchemy.text("select * from here"))
        assert isinstance(refusal.value.orig, psycopg.errors.UndefinedTable)
        engine.dispose()


def test_pypaimon_runs_beside_us_and_answers_in_json(run_pypaimon):
    script = "def main(word):\n    import pypaimon, pyarrow\n    print('noise')\n    return [word, pyarrow.__version__]"
    word, version = run_pypaimon(script, word="stock")
    assert word == "stock"
    assert int(version.split(".")[0]) < 20


def test_a_failing_script_beside_pypaimon_fails_with_its_own_words(run_pypaimon):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_pypaimon("def main():\n    return 1 / 0")


MAVEN = """#!/bin/sh
echo x >> "$BROUGHT"
for word; do case "$word" in -DoutputDirectory=*) cp $THINGS "${word#*=}/";; esac; done
"""


def jars(folder: Path, digest: str, thing: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``jars.py`` for one jar, or for the archive ``thing``; a fake Maven provides it."""
    (folder / "thing-1.0.jar").write_text("jar")
    more = ":tar.gz" if thing else ""
    return locked(folder, f"org.example:thing:1.0{more} sha256:{digest}\n", thing or folder / "thing-1.0.jar")


def locked(folder: Path, lock: str, *things: Path) -> subprocess.CompletedProcess[str]:
    """Run ``jars.py`` on a lock; a fake Maven provides ``things``."""
    (folder / "mvn").write_text(MAVEN)
    (folder / "mvn").chmod(0o755)
    (folder / "lock").write_text(lock)
    places = {"PATH": f"{folder}:{os.environ['PATH']}", "BROUGHT": f"{folder}/brought"}
    places["THINGS"] = " ".join(map(str, things))
    return subprocess.run(
        [sys.executable, "-I", ROOT / "scripts" / "jars.py", folder / "lock"],
        env={**os.environ, **places, "MUSTER_BUILD_CACHE": f"{folder}/cache"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_jar_is_brought_once(tmp_path):
    digest = hashlib.sha256(b"jar").hexdigest()
    first, second = jars(tmp_path, digest), jars(tmp_path, digest)
    assert first.stdout == second.stdout
    assert Path(first.stdout.strip()).read_text() == "jar"
    assert (tmp_path / "brought").read_text() == "x\n"


def test_what_is_missing_of_a_lock_is_brought_in_one_run(tmp_path):
    names = {"one-1.0.jar": "one:1.0", "one-1.0-tests.jar": "one:1.0:jar:tests", "two-2.0.jar": "two:2.0"}
    lines = {}
    for name, coordinates in names.items():
        (tmp_path / name).write_text(name)
        lines[name] = f"org.example:{coordinates} sha256:{hashlib.sha256(name.encode()).hexdigest()}\n"
    first = locked(tmp_path, lines["two-2.0.jar"], tmp_path / "two-2.0.jar")
    assert first.returncode == 0, first.stderr
    all_three = locked(tmp_path, "".join(lines.values()), *(tmp_path / name for name in list(names)[:2]))
    assert [Path(path).read_text() for path in all_three.stdout.splitlines()] == list(names)
    assert (tmp_path / "brought").read_text() == "x\nx\n"


def test_an_archive_is_unpacked_once(tmp_path):
    (tmp_path / "file").write_text("words")
    archive = tmp_path / "thing-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as writer:
        writer.add(tmp_path / "file", "thing-1.0/lib/file")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    first, second = jars(tmp_path, digest, archive), jars(tmp_path, digest, archive)
    assert first.stdout == second.stdout
    assert (Path(first.stdout.strip()) / "lib" / "file").read_text() == "words"
    assert (tmp_path / "brought").read_text() == "x\n"
    assert not list((tmp_path / "cache").rglob("*.tar.gz"))


def test_an_archive_that_cannot_be_unpacked_leaves_nothing(tmp_path):
    archive = tmp_path / "thing-1.0.tar.gz"
    archive.write_bytes(b"no archive")
    refused = jars(tmp_path, hashlib.sha256(b"no archive").hexdigest(), archive)
    assert refused.returncode == 1
    assert not refused.stdout
    assert "The jars of lock cannot be had" in refused.stderr
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.suffix != ".lock"]


def test_a_jar_that_is_not_the_pinned_one_is_refused(tmp_path):
    refused = jars(tmp_path, hashlib.sha256(b"another").hexdigest())
    assert refused.returncode == 1
    assert not refused.stdout
    assert "not " + hashlib.sha256(b"another").hexdigest() in refused.stderr
    assert not list((tmp_path / "cache").rglob("*.jar"))


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """The lock file of one small package, built as a wheel."""
    wheel = tmp_path / "thing-1.0-py3-none-any.whl"
    about = "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n"
    files = {
        "thing.py": "WORD = 'stock'\n",
        "thing-1.0.dist-info/METADATA": about,
        "thing-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(wheel, "w") as writer:
        for name, text in files.items():
            writer.writestr(name, text)
        writer.writestr("thing-1.0.dist-info/RECORD", "".join(f"{name},,\n" for name in files))
    made = tmp_path / "requirements-thing.lock"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    made.write_text(f"thing @ {wheel.as_uri()} \\\n    --hash=sha256:{digest}\n")
    return made


def environment(lock: Path, uv: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``environment.py`` on a lock; ``uv`` is a shell command that replaces uv."""
    cache = lock.parent / "cache"
    places = {"MUSTER_BUILD_CACHE": str(cache)}
    if uv is not None:
        uv_lock = ROOT / "requirements-uv.lock"
        python = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); import environment; print(environment."
        named = [sys.executable, "-c", f"{python}folder_for(environment.Path({str(uv_lock)!r})))"]
        folder = Path(subprocess.check_output(named, env={**os.environ, **places}, text=True).strip())
        (folder / "bin").mkdir(parents=True)
        (folder / "complete").touch()
        (folder / "bin" / "python").symlink_to(sys.executable)
        (folder / "bin" / "uv").write_text(f"#!/bin/sh\n{uv}\n")
        (folder / "bin" / "uv").chmod(0o755)
    else:
        cache.mkdir(exist_ok=True)
        for entry in python_of("requirements-uv.lock").parents[2].glob("requirements-uv-*"):
            (cache / entry.name).symlink_to(entry)
    return subprocess.run(
        ["sh", ROOT / "scripts" / "environment.sh", lock],
        env={**os.environ, **places, "MUSTER_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )


def word(made: subprocess.CompletedProcess[str]) -> str:
    """Return the constant of the package that is installed in an environment."""
    python = made.stdout.strip()
    return subprocess.check_output([python, "-c", "import thing; print(thing.WORD)"], text=True).strip()


def test_uv_installs_what_a_lock_pins(lock):
    made = environment(lock)
    assert word(made) == "stock"
    assert "pip is tried" not in made.stderr
    assert (lock.parent / "cache" / "uv").is_dir()


def test_pip_does_it_where_uv_fails(lock):
    made = environment(lock, uv="exit 3")
    assert word(made) == "stock"
    assert "uv ended with 3; pip is tried" in made.stderr


@pytest.mark.parametrize("uv", [None, "exit 3"], ids=["uv", "pip"])
def test_a_package_that_is_not_the_pinned_one_is_refused(lock, uv):
    digest = lock.read_text().split("sha256:")[1].strip()
    lock.write_text(lock.read_text().replace(digest, hashlib.sha256(b"another").hexdigest()))
    refused = environment(lock, uv)
    assert refused.returncode == 1
    assert not refused.stdout
    assert "The environment of requirements-thing.lock cannot be built" in refused.stderr
    assert not list((lock.parent / "cache").glob("requirements-thing-*/complete"))


def test_uv_is_given_what_pip_is_configured_with(lock):
    (lock.parent / "pip.conf").write_text("[global]\nindex-url = http://127.0.0.1:1/simple\n")
    given = lock.parent / "given"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_CONFIG_FILE", str(lock.parent / "pip.conf"))
        patch.delenv("UV_DEFAULT_INDEX", raising=False)
        environment(lock, uv=f'echo "$UV_DEFAULT_INDEX" > {given}; exit 3')
    assert given.read_text() == "http://127.0.0.1:1/simple\n"
