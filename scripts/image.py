"""Build and run the container image without a container engine: the Dockerfile's own lines, in a root folder.

    python scripts/image.py build FOLDER [--plain]
    python scripts/image.py run FOLDER [--volume SOURCE:TARGET[:ro]]... [--env NAME=VALUE]... [--network none|host]
                                       [--entrypoint WORD] [-- WORDS...]
    python scripts/image.py exec FOLDER PID [--env NAME=VALUE]... -- WORDS...

``build`` runs the Dockerfile's instructions; an unknown instruction is an error. The base layer is this machine's
system (/usr, read-only) with the Python that FROM names at /usr/local, or the newest one found. Steps before the first
COPY of a folder run once per Dockerfile, lock and Python, in ``MUSTER_BUILD_CACHE`` (default: ~/.cache/lakemuster),
later ones in every build. FOLDER gets ``root`` and ``image.json``.

``run`` starts the image as ``docker run --read-only`` does: its own mount, process and network namespaces, a root that
is read-only except for volumes, the user of USER, the process as number 1. SIGTERM is passed on. ``exec`` runs another
command in the same container, where PID is that of ``run``. The last two need root and Linux.

``--plain``, or a machine without those rights, runs the same steps in an ordinary folder, whose paths replace the
image's. ``not_shown`` in ``image.json`` names the features that are missing then.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

TREE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TREE))

from scripts.container import (  # noqa: E402 - found by the line above
    NEW_MOUNTS,
    NEW_PROCESSES,
    SYSTEM,
    Image,
    enter,
    execute,
    isolated,
    isolation_allowed,
    run,
)
from scripts.pythons import pythons  # noqa: E402

_SETTINGS = ("ssl", "ld.so.conf", "ld.so.conf.d", "login.defs", "hosts", "resolv.conf", "nsswitch.conf", "pip.conf")
_PASSED_ON = re.compile(
    r"PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT|DEFAULT_TIMEOUT)|SSL_CERT_(FILE|DIR)|(https?|no)_proxy", re.IGNORECASE
)
_KNOWN = {"FROM", "COPY", "RUN", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD", "HEALTHCHECK"}


def instructions(text: str) -> list[tuple[str, str]]:
    """Return the (instruction, words) pairs of a Dockerfile, with its ARGs filled in."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    found: list[tuple[str, str]] = []
    arguments: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, words = line.partition(" ")
        for argument, value in arguments.items():
            words = words.replace(f"${{{argument}}}", value)
        if name not in _KNOWN | {"ARG"}:
            raise SystemExit(f"the Dockerfile says {name}, which is not known here")
        if name == "ARG":
            argument, _, value = words.partition("=")
            arguments[argument.strip()] = value.strip()
        else:
            found.append((name, words.strip()))
    return found


def check(lines: list[tuple[str, str]]) -> None:
    """Refuse a COPY that ``Builder.copy`` would run differently from Docker."""
    sent = [line[1:] for line in (TREE / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copies = [words for name, words in lines if name == "COPY" and not re.fullmatch(r"--from=\S+ \S+ \S+", words)]
    for words in copies:
        if words.startswith("--") or len(words.split()) != 2 or words.split()[0] not in sent:
            raise SystemExit(f"COPY {words}: .dockerignore keeps it out, or an option is not known here")


def chosen_python(base: str) -> tuple[Path, str, list[str]]:
    """Return the interpreter, its minor version, and how it differs from the one in FROM."""
    named = re.match(r"python:(\d+)\.(\d+)", base)
    if named is None:
        raise SystemExit(f"FROM {base}: only python:X.Y… is known")
    found = pythons()
    minor = (int(named[1]), int(named[2]))
    short = [] if minor in found else [f"Python {named[1]}.{named[2]} (this machine has none)"]
    taken = minor if minor in found else max(found)
    return found[taken], f"{taken[0]}.{taken[1]}", short


# The base layer.


def make_base(root: Path, image: Image) -> None:
    """Create the folders, links and files of /etc that programs need; the rest is mounted at run time."""
    for name in ("etc/default", "usr", "proc", "dev", "tmp", "run", "root", "var/log"):
        (root / name).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    for name in SYSTEM:
        there = Path("/") / name
        if there.is_symlink():
            (root / name).symlink_to(there.readlink())
        elif there.is_dir():
            (root / name).mkdir()
    for name in _SETTINGS:
        there, here = Path("/etc") / name, root / "etc" / name
        if there.is_dir():
            shutil.copytree(there, here, symlinks=True, ignore=shutil.ignore_patterns("private"))
        elif there.exists():
            shutil.copyfile(there, here)
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"
    )
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    local = root.with_name(root.name + ".local") / "bin"
    local.mkdir(parents=True)
    for name in ("lib", "include", "share"):
        (local.parent / name).mkdir()
    python = Path(image.python)
    if image.plain:
        (local / "python").symlink_to(python)
        return
    real = f"python{image.version}"
    shutil.copy2(python.resolve(), local / real)
    for name in ("python", "python3"):
        (local / name).symlink_to(real)
    command(root, image, ["ldconfig"], {"PATH": "/usr/sbin:/usr/bin"})


def command(root: Path, image: Image, words: list[str], environment: dict[str, str]) -> None:
    """Run one command of a build as root, with a writable root folder."""

    def first() -> NoReturn:
        enter(root, image, [], read_only=False)
        os.chdir("/")
        os.execvpe(words[0], words, environment)

    sys.stdout.flush()
    builder = os.fork()
    if builder == 0:
        status = 125
        try:
            status = isolated(NEW_MOUNTS | NEW_PROCESSES, first)
        finally:
            os._exit(status & 255)
    status = os.waitstatus_to_exitcode(os.waitpid(builder, 0)[1])
    if status:
        raise SystemExit(f"status {status}: {shlex.join(words)}")


# The Dockerfile's steps.


@dataclass
class Builder:
    """Runs instructions in a stage's root folder."""

    image: Image
    stages: dict[str, Path]
    root: Path = Path()

    def place(self, text: str) -> str:
        """Map the image's paths to those of a plain build; an isolated one needs no mapping."""
        return re.sub(r"(?<![\w./])/(opt|data|tmp)\b", rf"{self.root}/\1", text) if self.image.plain else text

    def do(self, name: str, words: str) -> None:
        """Run one instruction other than FROM."""
        match name:
            case "COPY":
                self.copy(words)
            case "RUN":
                self.run(words)
            case "ENV":
                pairs = (word.partition("=") for word in shlex.split(words))
                self.image.env |= {key: self.place(value) for key, _, value in pairs}
            case "USER":
                self.image.user = words
            case "WORKDIR":
                self.image.workdir = words
                (self.root / words[1:]).mkdir(parents=True, exist_ok=True)
            case "VOLUME":
                self.image.volumes.append(words)
            case "EXPOSE":
                self.image.ports.append(words)
            case "ENTRYPOINT" | "CMD":
                setattr(self.image, name.lower(), json.loads(words))
            case "HEALTHCHECK":
                self.image.healthcheck = json.loads(words.partition("CMD ")[2])

    def copy(self, words: str) -> None:
        """Run COPY [--from=STAGE] SOURCE TARGET."""
        source, target = words.split()[-2:]
        there = self.root / target[1:]
        if (stage := re.match(r"--from=(\S+) ", words)) is not None:
            shutil.copytree(self.stages[stage[1]] / source[1:], there, symlinks=True)
            return
        ignored = (TREE / ".dockerignore").read_text().splitlines()
        there.parent.mkdir(parents=True, exist_ok=True)
        if (TREE / source).is_file():
            shutil.copyfile(TREE / source, there)
            return
        shutil.rmtree(there, ignore_errors=True)
        without = [line.removeprefix("**/") for line in ignored if line.startswith("**/")]
        shutil.copytree(TREE / source, there, symlinks=True, ignore=shutil.ignore_patterns(*without))

    def run(self, words: str) -> None:
        """Run RUN WORDS in the shell."""
        passed_on = {key: value for key, value in os.environ.items() if _PASSED_ON.fullmatch(key)}
        path = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
        if not self.image.plain:
            environment = passed_on | {"PATH": path, "HOME": "/root"} | self.image.env
            command(self.root, self.image, ["/bin/sh", "-c", words], environment)
        elif "useradd" not in words:
            local = self.root.with_name(self.root.name + ".local") / "bin"
            environment = passed_on | {"PATH": f"{local}:{path}", "HOME": str(self.root)} | self.image.env
            subprocess.run(["/bin/sh", "-c", self.place(words)], env=environment, check=True, stdout=sys.stderr)


def build(folder: Path, *, plain: bool) -> Image:
    """Build the image into ``folder``."""
    lines = instructions((TREE / "Dockerfile").read_text("utf-8"))
    check(lines)
    base = next(words for name, words in lines if name == "FROM").split()[0]
    python, version, short = chosen_python(base)
    if plain or not isolation_allowed():
        plain = True
        short = [*short, "the image's own paths", "a user without rights", "a read-only root", "namespaces, process 1"]
    home = subprocess.run(
        [python, "-I", "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True, check=True
    )
    image = Image(str(python), version, home.stdout.strip(), plain, short)
    digest = hashlib.sha256(f"{platform.machine()} {python.resolve()} {python.stat().st_mtime_ns} {plain}".encode())
    for path in (TREE / "Dockerfile", TREE / "requirements-server.lock", Path(__file__), TREE / "scripts/container.py"):
        digest.update(path.read_bytes())
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster").absolute()
    kept = cache / f"image-{digest.hexdigest()[:16]}"
    kept.mkdir(parents=True, exist_ok=True)
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with (kept / "lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        image = build_stages(lines, image, kept, folder / "root")
    (folder / "image.json").write_text(json.dumps(asdict(image), indent=1) + "\n", "utf-8")
    return image


def build_stages(lines: list[tuple[str, str]], image: Image, kept: Path, final: Path) -> Image:
    """Build all stages: the last one in ``final``, earlier ones in ``kept``, which caches their first steps."""
    starts = [number for number, (name, _) in enumerate(lines) if name == "FROM"]
    builder = Builder(image, {})
    for stage, (start, end) in enumerate(zip(starts, [*starts[1:], len(lines)], strict=True)):
        builder.image = image.as_new_stage()
        is_last = end == len(lines)
        builder.root = final if is_last else kept / f"stage{stage}"
        name = lines[start][1].partition(" AS ")[2]
        builder.stages |= {name: builder.root} if name else {}
        steps = lines[start + 1 : end]
        folders = (n for n, step in enumerate(steps) if step[0] == "COPY" and (TREE / step[1].split()[0]).is_dir())
        lasting = 0 if is_last else next(folders, len(steps))
        marker = kept / f"stage{stage}.complete"
        if is_last or not marker.exists():
            shutil.rmtree(builder.root, ignore_errors=True)
            shutil.rmtree(builder.root.with_name(builder.root.name + ".local"), ignore_errors=True)
            make_base(builder.root, builder.image)
            for step in steps[:lasting]:
                builder.do(*step)
            if not is_last:
                marker.touch()
        for step in steps[lasting:]:
            builder.do(*step)
    return builder.image


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("build", "run", "exec"):
        one = commands.add_parser(name)
        one.add_argument("folder", type=Path)
        if name == "build":
            one.add_argument("--plain", action="store_true")
            continue
        if name == "exec":
            one.add_argument("pid", type=int)
        else:
            one.add_argument("--volume", action="append", default=[])
            one.add_argument("--network", choices=("none", "host"), default="none")
            one.add_argument("--entrypoint")
        one.add_argument("--env", action="append", default=[])
    options, words = sys.argv[1:], list[str]()
    if "--" in options:
        place = options.index("--")
        options, words = options[:place], options[place + 1 :]
    asked = parser.parse_args(options, argparse.Namespace(words=words))
    if asked.command == "build":
        image = build(asked.folder, plain=asked.plain)
        for missing in image.not_shown:
            print(f"not as the image: {missing}")
        return 0
    if asked.command == "exec":
        execute(asked.folder, asked)
    return run(asked.folder, asked)


if __name__ == "__main__":
    sys.exit(main())
