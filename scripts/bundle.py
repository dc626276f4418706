"""Makes one archive from which a server without network is installed; run by `make bundle`.

Usage: python scripts/bundle.py [FOLDER]

It holds the sources and, in `wheels`, the locked packages for this version of Python on this kind of machine.
Unpacked, `python3 scripts/install.py serving` installs from that folder alone, by hash. The archive is in
FOLDER (`build`), with its SHA-256 in a file beside it; packages that were fetched once are kept in `build`.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

BASE = Path(__file__).resolve().parent.parent
AT_ONCE: Final = 12  # pip asks for one package after the other, and mostly waits
LOCKS: Final = ("installer", "serving")
LEFT_OUT: Final = ("tests/", "benchmarks/", ".ci/")
"""What no server needs, as in the image."""


def main(folder: Path) -> Path:
    """Make the archive in `folder`, and return its path."""
    name = f"parable-{_version()}-{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.tar"
    wheels = fetch()
    draft = target.with_suffix(".part")
    with tarfile.open(draft, "w") as archive:  # wheels are compressed already
        for path in sources():
            archive.add(BASE / path, f"{name}/{path}", filter=_without_owner)
        archive.add(wheels, f"{name}/wheels", filter=_without_owner)
    with draft.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    draft.rename(target)
    target.with_name(f"{target.name}.sha256").write_text(f"{digest}  {target.name}\n", encoding="utf-8")
    return target


def fetch() -> Path:
    """Download the packages of the lock files; exit if one of them has no wheel for this machine."""
    texts = [(BASE / "requirements" / f"{lock}.txt").read_text(encoding="utf-8") for lock in LOCKS]
    digest = hashlib.sha256("".join(texts).encode()).hexdigest()
    kept = BASE / "build" / f"wheels-{sys.implementation.cache_tag}-{digest[:16]}"
    if kept.exists():
        return kept
    pins = [pin for text in texts for pin in re.split(r"\n(?=[a-z0-9])", text)[1:]]
    kept.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as place, ThreadPoolExecutor(AT_ONCE) as pool:
        wheels = Path(place) / "wheels"
        parts = [pins[number::AT_ONCE] for number in range(AT_ONCE)]
        if any(pool.map(lambda part: _download(part, wheels), parts)):
            sys.exit("The packages could not be fetched; the lines above say why.")
        wheels.rename(kept)
    return kept


def _download(pins: list[str], wheels: Path) -> int:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download"]
    command += ["--require-hashes", "--only-binary", ":all:", "--no-deps", "--dest", str(wheels)]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as part:
        part.write("\n".join(pins))
        part.flush()
        return subprocess.call([*command, "--requirement", part.name])


def sources() -> list[str]:
    """Return the paths of the files of the repository that a server needs."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.check_output(command, cwd=BASE, text=True).split("\0")
    return [path for path in listed if path and not path.startswith(LEFT_OUT) and (BASE / path).is_file()]


def _version() -> str:
    return str(tomllib.loads((BASE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else BASE / "build"))
