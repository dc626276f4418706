"""The Dockerfile's steps without an engine: in an empty root of their own, without network.

The root has Debian's `/usr`, read-only, and sees nothing else of this machine. Mounting needs root; what the
image runs has the user, the rights and the mounts that docker-compose.yml gives it.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import yaml

from tests.architecture import BASE

OF_ETC: Final = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "login.defs",
    "mime.types",
    "nsswitch.conf",
)
ACCOUNTS: Final = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "group": "root:x:0:\n",
    "shadow": "root:*:1::::::\n",
    "gshadow": "root:*::\n",
    "hosts": "127.0.0.1 localhost\n",
}
OFFLINE: Final = 'no-index = true\nfind-links = ["/wheels"]\n'
NO_RIGHTS: Final = "--bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs"


def python_of_system() -> str | None:
    """Return a Python below /usr that can make environments; None if there is none that Parable runs on."""
    for name in ("python3.14", "python3.13", "python3.12", "python3.11"):
        path = f"/usr/bin/{name}"
        command = [path, "-c", "import ensurepip, venv"]
        if Path(path).exists() and subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return path
    return None


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield (instruction, value) of a Dockerfile, without comments and with lines joined."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _space, value = line.partition(" ")
            yield name, value.strip()


@dataclass
class Image:
    """A root file system, and what the Dockerfile says of the processes in it."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = "0:0"
    entry: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def prepare(self) -> None:
        """Make the empty root, with `python` where the official image has it."""
        for name in ("usr", "local/bin", "proc", "dev", "tmp", "etc", "root", "srv", "opt", "wheels"):
            (self.root / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.root / name).symlink_to(f"usr/{name}")
        for name in OF_ETC:
            source = Path("/etc") / name
            if source.is_dir():
                shutil.copytree(source, self.root / "etc" / name)
            elif source.exists():
                shutil.copy(source, self.root / "etc" / name)
        for name, text in ACCOUNTS.items():
            (self.root / "etc" / name).write_text(text, encoding="utf-8")
        (self.root / "etc" / "uv").mkdir()
        (self.root / "etc" / "uv" / "uv.toml").write_text(OFFLINE, encoding="utf-8")
        (self.root / "local" / "bin" / "python").symlink_to(str(python_of_system()))
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def mounts(self, *more: str) -> str:
        """Return the shell commands that mount the root, in a mount namespace of their own."""
        root = shlex.quote(str(self.root))
        return "\n".join(
            [
                "set -e; mount --make-rprivate /",
                f"mount --bind {root} {root}",
                f"mount --bind /usr {root}/usr; mount -o remount,bind,ro {root}/usr",
                f"mount --bind {root}/local {root}/usr/local",
                f"mount -t proc proc {root}/proc; mount --rbind /dev {root}/dev",
                *(line.replace("ROOT", root) for line in more),
            ]
        )

    def argv(
        self, command: list[str], *, mounts: str, rights: str = "", more: Mapping[str, str] | None = None
    ) -> list[str]:
        """Return what runs `command` in the root, with the image's environment and nothing of ours."""
        named = [f"{name}={value}" for name, value in (self.environment | dict(more or {})).items()]
        inside = f"cd {shlex.quote(self.folder)} && exec {shlex.join(command)}"
        begun = ["exec", "chroot", str(self.root), "setpriv", *shlex.split(rights), "--", "env", "-i", *named]
        script = f"{mounts}\n{shlex.join([*begun, '/bin/sh', '-c', inside])}"
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", script]


def build(folder: Path, *, source: Path) -> Image:
    """Follow the Dockerfile in an unpacked bundle, whose wheels are all of the package index."""
    stages: dict[str, Image] = {}
    image = Image(folder)
    for name, value in instructions((source / "Dockerfile").read_text(encoding="utf-8")):
        if name == "FROM":
            stage = value.partition(" AS ")[2] or "last"
            image = stages[stage] = Image(folder / stage)
            image.prepare()
        elif name == "COPY":
            _copy(image, value, stages, source)
        elif name == "RUN":
            _run(image, value, source / "wheels")
        else:
            _describe(image, name, value)
    return stages["last"]


def _describe(image: Image, name: str, value: str) -> None:
    match name:
        case "ENV":
            image.environment |= dict(part.split("=", 1) for part in shlex.split(value))
        case "WORKDIR":
            image.folder = value
            (image.root / value[1:]).mkdir(parents=True, exist_ok=True)
        case "USER":
            image.user = value
        case "ENTRYPOINT":
            image.entry = json.loads(value)
        case "CMD":
            image.command = json.loads(value)
        case _:
            assert name in ("VOLUME", "EXPOSE"), f"the drill does not know the instruction {name}"


def _run(image: Image, value: str, wheels: Path) -> None:
    bound = f"mount --bind {shlex.quote(str(wheels))} ROOT/wheels"
    offline = {"PIP_FIND_LINKS": "/wheels", "PIP_NO_INDEX": "1"}  # uv reads its file in /etc
    argv = image.argv(["/bin/sh", "-c", value], mounts=image.mounts(bound), more=offline)
    done = subprocess.run(
        ["unshare", "--net", *argv], capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, (value, done.stdout[-2000:], done.stderr[-3000:])


def _copy(image: Image, value: str, stages: Mapping[str, Image], source: Path) -> None:
    parts = shlex.split(value)
    if parts[0].startswith("--from="):
        folder = stages[parts[0].removeprefix("--from=")].root / parts[1][1:]
        folder.rename(image.root / parts[2][1:])  # no other stage reads it
        return
    *named, target = parts
    place = image.root / (Path(image.folder) / target).as_posix()[1:]
    if named == ["."]:
        shutil.copytree(source, place, ignore=_left_out_of(source), dirs_exist_ok=True)
        return
    place.mkdir(parents=True, exist_ok=True)
    for path in named:
        shutil.copy2(source / path, place)


def _left_out_of(source: Path) -> Callable[[str, list[str]], list[str]]:
    """Return what says to `copytree` which names of a folder .dockerignore keeps out of the image."""
    lines = (source / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]

    def left_out(folder: str, names: list[str]) -> list[str]:
        inside = Path(folder).relative_to(source)
        return [
            name
            for name in names
            if any(
                fnmatch(name, pattern[3:])
                if pattern.startswith("**/")
                else fnmatch(str(inside / name), pattern)
                for pattern in patterns
            )
        ]

    return left_out


def container(
    image: Image, service: Mapping[str, Any], volume: Path, settings: Mapping[str, str]
) -> list[str]:
    """Return what runs a service of docker-compose.yml: its user, mounts and rights, with these settings."""
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    data = image.root / "data"
    shutil.copystat(data, volume)  # as an engine does with a new volume
    shutil.chown(volume, data.stat().st_uid, data.stat().st_gid)
    tmpfs = service["tmpfs"] if isinstance(service["tmpfs"], list) else [service["tmpfs"]]
    mounts = [f"mount --bind {shlex.quote(str(volume))} ROOT/data"]
    for one in tmpfs:
        place, _colon, options = one.partition(":")
        mounts.append(
            f"mount -t tmpfs -o {','.join(filter(None, ('noexec,nosuid,nodev', options)))} tmpfs ROOT{place}"
        )
    if service["read_only"]:
        mounts.append("mount -o remount,bind,ro ROOT; mount -o remount,bind,ro ROOT/usr/local")
    uid, _colon, gid = str(service["user"]).partition(":")
    rights = f"--reuid {int(uid)} --regid {int(gid)} --clear-groups {NO_RIGHTS}"
    command = [*image.entry, *(shlex.split(service["command"]) if "command" in service else image.command)]
    return image.argv(command, mounts=image.mounts(*mounts), rights=rights, more=settings)


def services() -> dict[str, dict[str, Any]]:
    """Return the services of docker-compose.yml."""
    composed = yaml.safe_load((BASE / "docker-compose.yml").read_text(encoding="utf-8"))
    return dict(composed["services"])
