"""Run a root folder as a container: its own namespaces, an unprivileged user, a read-only root.

Part of ``image.py``; needs only the standard library, mount(8) and nsenter(1).
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

NEW_MOUNTS, NEW_PROCESSES, NEW_NETWORK = 0x00020000, 0x20000000, 0x40000000
SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@dataclass
class Image:
    """The image's configuration, as ``docker inspect`` shows it, and the features that this build lacks."""

    python: str
    version: str
    python_home: str
    plain: bool
    not_shown: list[str]
    env: dict[str, str] = field(default_factory=dict)
    user: str = "0:0"
    workdir: str = "/"
    volumes: list[str] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    cmd: list[str] = field(default_factory=list)
    healthcheck: list[str] = field(default_factory=list)

    def as_new_stage(self) -> Image:
        """Return an image with the same base and an empty configuration."""
        return Image(self.python, self.version, self.python_home, self.plain, self.not_shown)


def isolation_allowed() -> bool:
    """Return whether this process may create namespaces and mount."""
    probe = ["unshare", "--mount", "--net", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return os.geteuid() == 0 and subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def mount(*words: str | Path) -> None:
    """Mount a filesystem with the system's program."""
    subprocess.run(["mount", *words], check=True)


def bind(source: Path, target: Path, *, read_only: bool = True) -> None:
    """Bind-mount ``source`` at ``target``."""
    mount("--bind", source, target)
    if read_only:
        mount("-o", "remount,bind,ro", target)


def enter(root: Path, image: Image, volumes: list[str], *, read_only: bool) -> None:
    """Make ``root`` the root of this process, which must have its own mount namespace."""
    mount("--make-rprivate", "/")
    mount("--bind", root, root)
    bind(Path("/usr"), root / "usr")
    for name in SYSTEM:
        if (root / name).is_dir() and not (root / name).is_symlink():
            bind(Path("/") / name, root / name)
    bind(root.with_name(root.name + ".local"), root / "usr/local")
    for name in ("lib", "include", "share"):
        if image.python_home != "/usr" and (Path(image.python_home) / name).is_dir():
            bind(Path(image.python_home) / name, root / "usr/local" / name)
    mount("-t", "proc", "proc", root / "proc")
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", root / "dev")
    (root / "dev/shm").mkdir()
    mount("-t", "tmpfs", "-o", "mode=1777,size=64m", "tmpfs", root / "dev/shm")
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        (root / "dev" / name).touch()
        bind(Path("/dev") / name, root / "dev" / name, read_only=False)
    (root / "dev/fd").symlink_to("/proc/self/fd")
    for volume in volumes:
        source, target, *how = volume.split(":")
        bind(Path(source).absolute(), root / target[1:], read_only=how == ["ro"])
    if read_only:
        mount("-o", "remount,bind,ro", root)
    os.chroot(root)


def prepare_volumes(root: Path, image: Image, volumes: list[str]) -> None:
    """Create the mount points of volumes; an empty volume gets the owner and mode of the image's folder."""
    for volume in volumes:
        source, target, *_ = volume.split(":")
        there, here = Path(source).absolute(), root / target[1:]
        if image.plain:
            here.parent.mkdir(parents=True, exist_ok=True)
            if here.is_dir() and not here.is_symlink():
                here.rmdir()
            here.unlink(missing_ok=True)
            here.symlink_to(there)
        elif not there.is_dir():
            here.parent.mkdir(parents=True, exist_ok=True)
            here.touch()
        elif not here.exists():
            here.mkdir(parents=True)
        elif target in image.volumes and not any(there.iterdir()):
            shutil.copystat(here, there)
            os.chown(there, here.stat().st_uid, here.stat().st_gid)


def isolated(kinds: int, first: Callable[[], NoReturn]) -> int:
    """Run ``first`` as process 1 of new namespaces, and return its exit code."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(kinds):
        raise OSError(ctypes.get_errno(), "unshare")
    child = os.fork()
    if child == 0:
        end_with_parent, status = 1, 125
        libc.prctl(end_with_parent, signal.SIGKILL)
        try:
            first()
        except BaseException as problem:  # noqa: BLE001 - a forked process must not return
            print(f"{type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _frame: os.kill(child, received))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def become(user: str) -> None:
    """Change to ``user``, and give up root for good."""
    number, _, group = user.partition(":")
    os.setgroups([])
    os.setgid(int(group))
    os.setuid(int(number))


def loopback_up() -> None:
    """Bring up the loopback interface, which is down in a new network namespace."""
    set_flags, up = 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, set_flags, struct.pack("16sh14x", b"lo", up))


def read(folder: Path) -> tuple[Path, Image]:
    """Return the root folder and the image's configuration."""
    said: dict[str, Any] = json.loads((folder / "image.json").read_text("utf-8"))
    return folder.absolute() / "root", Image(**said)


def run(folder: Path, asked: argparse.Namespace) -> int:
    """Run a command as ``docker run --read-only`` does."""
    root, image = read(folder)
    entrypoint = [asked.entrypoint] if asked.entrypoint else image.entrypoint
    words = entrypoint + (asked.words or ([] if asked.entrypoint else image.cmd))
    environment = image.env | dict(pair.split("=", 1) for pair in asked.env)
    prepare_volumes(root, image, asked.volume)
    if image.plain:
        os.chdir(root / image.workdir[1:])
        os.execvpe(words[0], words, environment)

    def first() -> NoReturn:
        if asked.network == "none":
            loopback_up()
        enter(root, image, asked.volume, read_only=True)
        os.chdir(image.workdir)
        become(image.user)
        os.execvpe(words[0], words, environment)

    network = NEW_NETWORK if asked.network == "none" else 0
    return isolated(NEW_MOUNTS | NEW_PROCESSES | network, first)


def execute(folder: Path, asked: argparse.Namespace) -> NoReturn:
    """Run a command as ``docker exec`` does."""
    root, image = read(folder)
    environment = image.env | dict(pair.split("=", 1) for pair in asked.env)
    words = asked.words
    if image.plain:
        os.chdir(root / image.workdir[1:])
    else:
        (inside,) = Path(f"/proc/{asked.pid}/task/{asked.pid}/children").read_text().split()
        number, _, group = image.user.partition(":")
        where = ["--target", inside, "--mount", "--pid", "--net", f"--root=/proc/{inside}/root"]
        where.append(f"--wd=/proc/{inside}/root{image.workdir}")
        words = [shutil.which("nsenter") or "nsenter", *where, "--setuid", number, "--setgid", group, "--", *words]
    os.execvpe(words[0], words, environment)
