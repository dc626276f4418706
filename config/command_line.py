"""What `manage.py` does before and around a command of Django.

It reads the file `.env`, starts the local servers that the command needs and that the
environment does not name, keeps the local database up to date, and turns what an operator
can mend into a sentence. The site itself is started by the verbs `demo`, `demo-llm`, `run` and `serve`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import environ
import psycopg
from django.core.exceptions import ImproperlyConfigured

from config import demo_model
from config.environment import parse_database
from config.local import LocalServerError, local_services, secret_key
from config.local.migrations import forget_migrations, migrate_once
from config.local.places import keep_private
from config.messages import compile_stale
from config.roles import prepare_application_role, restrict_application_role

BASE = Path(__file__).resolve().parent.parent
UNUSABLE = 2
"""The exit code for what was asked in a way that cannot be done."""

WITHOUT_SERVERS = {
    *("help", "version", "check", "makemigrations", "makemessages", "compilemessages", "diffsettings"),
    *("collectstatic", "findstatic", "spectacular", "score", "evaluate"),
}
AS_OWNER = {"migrate", "flush", "sqlflush", "backup", "restore", "dbshell"}
"""Commands that change or copy tables rather than rows; they connect as DATABASE_OWNER_URL."""
CHANGES_TABLES = {"migrate", "flush", "restore"}
"""Commands after which the local database may no longer be up to date."""


def main(arguments: list[str]) -> int:
    """Run one command line, given without the program's name; return the exit code."""
    _read_env_file()
    signal.signal(signal.SIGTERM, _leave)  # so that servers are stopped on the way out
    compile_stale()
    verb = arguments[0] if arguments else "help"
    try:
        return SITE_VERBS.get(verb, _run_django)(arguments or ["help"])
    except (ImproperlyConfigured, LocalServerError) as refusal:
        print(refusal, file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        return 130


def _read_env_file() -> None:
    """Take what the environment does not say from `.env`, or from the file PARABLE_ENV_FILE names."""
    path = Path(os.environ.get("PARABLE_ENV_FILE") or BASE / ".env")
    if path.exists():
        environ.Env.read_env(path)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _run_django(arguments: list[str]) -> int:
    verb = arguments[0]
    if verb in WITHOUT_SERVERS or verb.startswith("-") or {"--help", "-h"} & set(arguments):
        return _execute(arguments, settings="config.offline")
    with _surroundings() as local:
        if local and verb not in CHANGES_TABLES:
            migrate_once(BASE, _home())
        application_url = os.environ.get("DATABASE_URL", "")
        if verb in AS_OWNER and os.environ.get("DATABASE_OWNER_URL"):
            os.environ["DATABASE_URL"] = os.environ["DATABASE_OWNER_URL"]
        if verb == "migrate":
            _prepare_role(application_url)
        if verb in CHANGES_TABLES:
            forget_migrations(_home())
        code = _execute(arguments, settings="config.settings")
        if verb == "migrate":
            _restrict_role(application_url)
        return code


def _execute(arguments: list[str], *, settings: str) -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    from django.conf import settings as django_settings
    from django.core.management import execute_from_command_line

    _ = django_settings.INSTALLED_APPS  # a bad setting speaks now, not as a traceback later
    if settings == "config.offline":
        # makemigrations asks the database what it has applied, and may live without an answer.
        warnings.filterwarnings("ignore", message="Got an error checking a consistent migration")
    execute_from_command_line(["manage.py", *arguments])
    return 0


@contextlib.contextmanager
def _surroundings() -> Iterator[bool]:
    """Provide the servers that the environment does not name; yield whether the database is ours."""
    keep_private(_home())
    missing = {name for name in ("DATABASE_URL", "REDIS_URL") if not os.environ.get(name)}
    if not missing:
        yield False
        return
    if os.environ.get("PARABLE_LOCAL_SERVERS", "True").lower() != "true":
        raise ImproperlyConfigured(f"{' and '.join(sorted(missing))} must be set.")
    with local_services(
        _home(), database="DATABASE_URL" in missing, redis="REDIS_URL" in missing
    ) as addresses:
        os.environ.update(addresses)
        _set_local_defaults()
        yield "DATABASE_URL" in missing


def _home() -> Path:
    return Path(os.environ.get("PARABLE_HOME") or BASE / "var").expanduser().absolute()


def _set_local_defaults() -> None:
    """Settings that a site on this machine's own loopback may have without being asked."""
    defaults = {
        "PARABLE_SECRET_KEY": secret_key(_home()),
        "PARABLE_KEY_SECRETS": secret_key(_home(), name="key_secret"),
        "PARABLE_HASHED_STATIC": "False",
    }
    if os.environ.get("PARABLE_BIND", "127.0.0.1") in ("127.0.0.1", "::1"):
        defaults["PARABLE_PLAIN_HTTP"] = "True"
    for name, value in defaults.items():
        if not os.environ.get(name):
            os.environ[name] = value


def _prepare_role(application_url: str) -> None:
    """Grant the role in DATABASE_URL its rights, where it is another one than the owner."""
    application = parse_database("DATABASE_URL", application_url)
    owner_url = os.environ["DATABASE_URL"]
    if application["USER"] == parse_database("DATABASE_OWNER_URL", owner_url)["USER"]:
        return
    try:
        prepare_application_role(owner_url, role=application["USER"], password=application["PASSWORD"])
    except psycopg.errors.InsufficientPrivilege as refusal:
        raise ImproperlyConfigured(
            f"The owner may not prepare the role {application['USER']!r} ({refusal});"
            " docs/operating.md lists the statements for your administrator."
        ) from None


def _restrict_role(application_url: str) -> None:
    """Take from that role, on tables that are new too, what it never needs."""
    role, owner_url = parse_database("DATABASE_URL", application_url)["USER"], os.environ["DATABASE_URL"]
    if role != parse_database("DATABASE_OWNER_URL", owner_url)["USER"]:
        restrict_application_role(owner_url, role=role)


def _run_local_site(*, sample: bool, model: bool = False) -> int:
    from config.processes import run_all

    if model:
        demo_model.require_installed(BASE)
        demo_model.allow_address()
    with _surroundings() as local:
        if local:
            migrate_once(BASE, _home())
        if sample:
            _manage("load_sample", *(["--model-url", demo_model.base_url()] if model else []))
        return run_all(BASE, _home(), model=model)


def _serve_site() -> int:
    """Run the site as in production: nothing is started here that settings should name."""
    from config.processes import run_all

    os.environ["PARABLE_LOCAL_SERVERS"] = "False"
    with _surroundings():
        _manage("migrate", "--verbosity", "0")
        _manage("collectstatic", "--no-input", "--verbosity", "0")
        return run_all(BASE, _home())


def _become(arguments: list[str]) -> int:
    from config.processes import become, command_lines

    name = arguments[1] if len(arguments) == 2 else ""
    os.environ["PARABLE_LOCAL_SERVERS"] = "False"  # they would not outlive what we turn into
    with _surroundings():
        if name not in command_lines():
            raise ImproperlyConfigured(f"Name one process: {', '.join(command_lines())}.")
        become(name)
    return 0


def _manage(*arguments: str) -> None:
    """Run another command in a process of its own."""
    command = [sys.executable, str(BASE / "manage.py"), *arguments]
    if code := subprocess.run(command, check=False).returncode:
        raise SystemExit(code)


def _audit(arguments: list[str]) -> int:
    from parable.commands import audit  # NumPy and SciPy take a while

    return audit.main(arguments[1:])


def _calibrate(arguments: list[str]) -> int:
    from parable.commands import calibrate  # SciPy takes a while, and no other command needs it

    return calibrate.main(arguments[1:])


def _evaluate(arguments: list[str]) -> int:
    from parable.commands import evaluate  # as above

    return evaluate.main(arguments[1:])


def _score(arguments: list[str]) -> int:
    from parable.commands import score  # as above

    return score.main(arguments[1:])


SITE_VERBS: dict[str, Callable[[list[str]], int]] = {
    "audit": _audit,
    "calibrate": _calibrate,
    "evaluate": _evaluate,
    "demo": lambda _arguments: _run_local_site(sample=True),
    "demo-llm": lambda _arguments: _run_local_site(sample=True, model=True),
    "score": _score,
    "run": lambda _arguments: _run_local_site(sample=False),
    "serve": lambda _arguments: _serve_site(),
    "process": _become,
}
