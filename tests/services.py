"""Starts PostgreSQL and Redis once for a whole run of tests, before Django reads its settings.

The main pytest process starts them. Workers of pytest-xdist inherit the addresses in the environment, and
each uses databases of its own: in PostgreSQL by pytest-django, in Redis by number. DATABASE_URL and REDIS_URL
in the environment replace the respective server; tests then create databases named `test_...`, and use the
Redis databases 15 and downwards.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

import pytest

from config.local import clear_abandoned, local_services
from config.messages import compile_stale
from tests.databases import TEMPLATE, bring_cluster, made_on_server

MARK = "PARABLE_TEST_HOME"
PREFIX = "parable-tests-"
STARTING_SECONDS = 120
"""A folder younger than this may belong to a run that has just created it and not locked it yet."""
LOCK = "run.lock"
SETTINGS = {
    "PARABLE_ENV_FILE": os.devnull,  # commands that tests start must not find a real site's servers
    "PARABLE_SECRET_KEY": "a-key-that-only-the-tests-of-parable-ever-use",
    "PARABLE_KEY_SECRETS": "what-seals-the-keys-that-only-the-tests-store",
    "PARABLE_PLAIN_HTTP": "True",
    "PARABLE_HASHED_STATIC": "False",
    "PARABLE_LANGUAGE": "en",
    "PARABLE_LOG_LEVEL": "WARNING",
}

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Limits numeric libraries to one thread: there is a worker for each core, so more threads would only
wait.
"""


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """Start the servers and set the settings; the servers run until pytest ends."""
    gc.disable()  # until all is collected: what is imported and collected lasts
    stack = contextlib.ExitStack()
    early_config.add_cleanup(stack.close)
    sys.dont_write_bytecode = False  # what each process of a run would compile anew is compiled once
    if MARK not in os.environ:
        _start(stack)
        _stop_on_sigterm(stack)
    os.environ["PARABLE_HOME"] = str(_home_of_this_process())
    os.environ["REDIS_URL"] = _redis_of_this_process(os.environ["REDIS_URL"])
    return (yield)


def _start(stack: contextlib.ExitStack) -> None:
    compile_stale()
    clear_killed_runs()
    home = Path(tempfile.mkdtemp(prefix=PREFIX))
    home.chmod(0o711)  # root runs PostgreSQL as another user
    stack.callback(shutil.rmtree, home, ignore_errors=True)
    stack.enter_context(kept_from_others(home))
    stack.callback(os.environ.pop, MARK, None)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in [name for name in os.environ if name.startswith("PARABLE_")]:
        del os.environ[name]  # what the shell says about a site is not about its tests
    os.environ.update(SETTINGS | ONE_THREAD | {MARK: str(home)})
    named = {name for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)}
    if "DATABASE_URL" not in named:
        bring_cluster(home)
        os.environ[TEMPLATE] = "parable_template"
    os.environ |= stack.enter_context(
        local_services(
            home, database="DATABASE_URL" not in named, redis="REDIS_URL" not in named, durable=False
        )
    )
    # Tests make a database of their own, which only the owner may do.
    if owner := os.environ.get("DATABASE_OWNER_URL"):
        os.environ["DATABASE_URL"] = owner
    if "DATABASE_URL" in named:
        stack.enter_context(made_on_server(os.environ["DATABASE_URL"]))


@contextlib.contextmanager
def kept_from_others(home: Path) -> Iterator[None]:
    """Mark this folder as used by a run, also while the run waits for the cluster that it copies."""
    with (home / LOCK).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_lived_in(home: Path) -> bool:
    try:
        with (home / LOCK).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def clear_killed_runs() -> None:
    """Stop servers and delete folders of earlier runs that were killed before they could clean up."""
    for home in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):  # another run was faster
            seen = home.stat()
            ours_and_old = seen.st_uid == os.getuid() and time.time() - seen.st_mtime > STARTING_SECONDS
            if ours_and_old and not _is_lived_in(home) and clear_abandoned(home):
                shutil.rmtree(home, ignore_errors=True)


def _stop_on_sigterm(stack: contextlib.ExitStack) -> None:
    """Stop the servers when the run is terminated from outside, for example by a time limit."""

    def stop(number: int, frame: FrameType | None) -> None:
        stack.close()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, stop)


def _home_of_this_process() -> Path:
    """Return a data folder that no other worker writes to, as file names are unique only within a worker."""
    home = Path(os.environ[MARK]) / os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    home.mkdir(exist_ok=True)
    return home


def redis_database(url: str, number: int) -> str:
    """Return the address of another database of the same Redis server."""
    if url.startswith("unix:"):
        return f"{url.partition('?')[0]}?db={number}"
    return urlsplit(url)._replace(path=f"/{number}").geturl()


def _redis_of_this_process(url: str) -> str:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return redis_database(url, 15 - int(worker) % 15)
