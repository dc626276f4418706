"""Runs a command line of `manage.py`, with the steps that are needed before a Django command.

It reads the file `.env`, starts local servers for the settings DATABASE_URL and REDIS_URL that are not set,
migrates the local database, and turns errors that an operator can fix into sentences. The commands `demo`,
`demo-llm`, `run` and `serve` start the site itself.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType

import django
import environ
import psycopg
import redis
from django.core.exceptions import ImproperlyConfigured

from config import demo_model
from config.backup.errors import BackupError
from config.database import require_usable_database
from config.environment import parse_database
from config.local import LocalServerError, local_services, secret_key, servers_of, stored_secret
from config.local.migrations import forget_migrations, migrate_once
from config.local.places import keep_private
from config.messages import compile_stale
from config.plain_errors import sentence
from config.roles import (
    RoleError,
    administrator_sql,
    prepare_application_role,
    require_sign_in,
    restrict_application_role,
)
from core.presence import seconds_silent
from parable.__main__ import COMMANDS
from parable.__main__ import main as run_on_files

BASE = Path(__file__).resolve().parent.parent
UNUSABLE = 2
"""The exit code for errors that the operator can fix, such as an invalid setting."""

NO = 1
"""The exit code of a command that ran, and whose answer is no."""

WITHOUT_SERVERS = {
    *("help", "version", "check", "makemigrations", "makemessages", "compilemessages", "diffsettings"),
    *("collectstatic", "findstatic", "spectacular", "score", "evaluate"),
}
AS_OWNER = {"migrate", "flush", "sqlflush", "dbshell"}
"""Commands that change or copy tables rather than rows; they connect as DATABASE_OWNER_URL."""
PRIVATE = 0o077
"""The umask of the site and its commands: only their own account can access files that they create."""
CHANGES_TABLES = {"migrate", "flush"}
"""Commands after which the local database may no longer be up to date."""


def main(arguments: list[str]) -> int:
    """Run the command line `arguments`, without the program's name; return the exit code."""
    # `.env`, or the file that PARABLE_ENV_FILE names, sets what the environment lacks
    path = Path(os.environ.get("PARABLE_ENV_FILE") or BASE / ".env")
    if path.exists():
        environ.Env.read_env(path)
    signal.signal(signal.SIGTERM, _leave)  # so that local servers are stopped at exit
    verb = arguments[0] if arguments else "help"
    try:
        compile_stale()
        return SITE_VERBS.get(verb, _run_django)(arguments or ["help"])
    except (ImproperlyConfigured, LocalServerError, RoleError, BackupError) as refusal:
        print(refusal, file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("PARABLE_DEBUG", "").lower() == "true" or not (message := sentence(error)):
            raise
        print(message, file=sys.stderr)
        return UNUSABLE


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _run_django(arguments: list[str]) -> int:
    verb = arguments[0]
    if verb in WITHOUT_SERVERS or verb.startswith("-") or {"--help", "-h"} & set(arguments):
        return _execute(arguments, settings="config.offline")
    with _surroundings() as local:
        if "DATABASE_URL" in local and verb not in CHANGES_TABLES:
            migrate_once(BASE, _home())
        application_url = os.environ.get("DATABASE_URL", "")
        if verb in AS_OWNER:
            _connect_as_owner()
        if verb == "migrate" and "--check" not in arguments:  # which also the application's role may ask
            _prepare_role(application_url)
        if verb in CHANGES_TABLES:
            forget_migrations(_home())
        code = _execute(arguments, settings="config.settings")
        if verb == "migrate":  # revoke privileges that the application never needs, also on new tables
            owner_url = os.environ["DATABASE_URL"]
            role = parse_database("DATABASE_URL", application_url)["USER"]
            if role != parse_database("DATABASE_OWNER_URL", owner_url)["USER"]:
                restrict_application_role(owner_url, role=role)
        return code


def _connect_as_owner() -> None:
    if owner := os.environ.get("DATABASE_OWNER_URL"):
        os.environ["DATABASE_URL"] = owner


def _execute(arguments: list[str], *, settings: str) -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    from django.conf import settings as django_settings
    from django.core.management import execute_from_command_line

    _ = django_settings.INSTALLED_APPS  # a bad setting is reported now, not as a traceback later
    if settings == "config.offline":
        # makemigrations queries the applied migrations, and works without them.
        warnings.filterwarnings("ignore", message="Got an error checking a consistent migration")
    execute_from_command_line(["manage.py", *arguments])
    return 0


@contextlib.contextmanager
def _surroundings() -> Iterator[set[str]]:
    """Start local servers for DATABASE_URL and REDIS_URL if these are not set; yield the missing names."""
    keep_private(_home())
    missing = {name for name in ("DATABASE_URL", "REDIS_URL") if not os.environ.get(name)}
    if not missing:
        with _private_files():
            yield missing
        return
    if os.environ.get("PARABLE_LOCAL_SERVERS", "True").lower() != "true":
        raise ImproperlyConfigured(f"{' and '.join(sorted(missing))} must be set.")
    with local_services(
        _home(), database="DATABASE_URL" in missing, redis="REDIS_URL" in missing
    ) as addresses:
        os.environ.update(addresses)
        _set_local_defaults()
        with _private_files():
            yield missing


@contextlib.contextmanager
def _private_files() -> Iterator[None]:
    """Make files created within the context accessible to this account only.

    This includes files of child processes. Local servers are started outside the context: root's PostgreSQL
    runs as another account.
    """
    previous = os.umask(PRIVATE)
    try:
        yield
    finally:
        os.umask(previous)


def _home() -> Path:
    return Path(os.environ.get("PARABLE_HOME") or BASE / "var").expanduser().absolute()


def _set_local_defaults() -> None:
    """Set default settings that are safe for a site that only listens on the loopback interface."""
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
    """Create the role in DATABASE_URL and grant its rights, unless it is the owner's role."""
    application = parse_database("DATABASE_URL", application_url)
    owner_url = os.environ["DATABASE_URL"]
    require_usable_database(owner_url)
    if application["USER"] == parse_database("DATABASE_OWNER_URL", owner_url)["USER"]:
        return
    role, password = application["USER"], application["PASSWORD"]
    try:
        prepare_application_role(owner_url, role=role, password=password)
    except psycopg.errors.InsufficientPrivilege:
        raise ImproperlyConfigured(
            f"There is no role {role!r} yet, and the owner of the database may not make one."
            " Let an administrator of PostgreSQL run what `manage.py role_sql` prints."
        ) from None
    require_sign_in(owner_url, application_url, role=role, password=password)


def _print_role_sql(arguments: list[str]) -> int:
    """Print the SQL that an administrator of PostgreSQL has to run once. No server is needed."""
    if len(arguments) > 1:
        print("usage: manage.py role_sql | psql    (as an administrator of PostgreSQL)")
        return 0 if {"--help", "-h"} & set(arguments) else UNUSABLE
    url = os.environ.get("DATABASE_URL", "")
    application = parse_database("DATABASE_URL", url)
    owner = parse_database("DATABASE_OWNER_URL", os.environ.get("DATABASE_OWNER_URL") or url)
    if not (owner["USER"] and application["USER"]):
        raise ImproperlyConfigured("DATABASE_URL and DATABASE_OWNER_URL must name a role each.")
    roles = [(each["USER"], each["PASSWORD"]) for each in (owner, application)]
    print(administrator_sql(database=owner["NAME"], owner=roles[0], application=roles[1]))
    return 0


def _backup(arguments: list[str]) -> int:
    """Write an archive of the site. The database may be of an older version."""
    if {"--help", "-h"} & set(arguments):
        _archives("config.offline").read_backup(arguments[1:])
    with _surroundings():
        _connect_as_owner()
        commands = _archives("config.settings")
        commands.run_backup(commands.read_backup(arguments[1:]), _home())
    return 0


def _restore(arguments: list[str]) -> int:
    """Restore an archive, then migrate the tables to this version. With `--check`, only check the archive."""
    if {"--help", "-h", "--check"} & set(arguments):
        secret = os.environ.get("PARABLE_SECRET_KEY") or stored_secret(_home())
        commands = _archives("config.offline")
        commands.run_check(commands.read_restore(arguments[1:]), _home(), secret)
        return 0
    with _surroundings():
        application_url = os.environ.get("DATABASE_URL", "")
        _connect_as_owner()
        require_usable_database(os.environ["DATABASE_URL"])
        commands = _archives("config.settings")
        options = commands.read_restore(arguments[1:])
        queue = redis.Redis.from_url(os.environ["REDIS_URL"])
        queue.ping()  # an unavailable server is reported before
        is_replaced = commands.run_restore(options, _home())
        try:
            forget_migrations(_home())
            if is_replaced:  # the data in Redis belong to the former site
                queue.flushdb()
            if options.no_migrate:
                _prepare_role(application_url)
            else:
                os.environ["DATABASE_URL"] = application_url
                _manage("migrate", "--verbosity", "0")
        except (Exception, SystemExit) as error:
            raise commands.half_done(error) from error
        commands.print_result(options)
    return 0


def _upgrade(arguments: list[str]) -> int:
    """Back up, migrate and check the stopped site; exit with 1 if it had to be left as it was."""
    from config.processes import require_idle

    if {"--help", "-h"} & set(arguments):
        _archives("config.offline").read_upgrade(arguments[1:], _home())
    require_idle(_home())
    with _surroundings():
        application_url = os.environ.get("DATABASE_URL", "")
        _connect_as_owner()
        require_usable_database(os.environ["DATABASE_URL"])
        commands = _archives("config.settings")
        options = commands.read_upgrade(arguments[1:], _home())
        redis.Redis.from_url(os.environ["REDIS_URL"]).ping()  # an unavailable server is reported before
        forget_migrations(_home())
        is_done = commands.run_upgrade(
            options, _home(), application_url, grant=lambda: _prepare_role(application_url)
        )
    return 0 if is_done else NO


def _archives(settings: str) -> ModuleType:
    """Set up Django with these settings, and return the module with the backup commands."""
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    django.setup()
    from config.backup import commands

    return commands


def _run_local_site(*, sample: bool, model: bool = False) -> int:
    from config.processes import require_idle, run_all

    if model:
        demo_model.require_installed(BASE)
        demo_model.allow_address()
    require_idle(_home(), model=model)
    with _surroundings() as local:
        if "DATABASE_URL" in local:
            migrate_once(BASE, _home())
        if sample:
            asked = ["--model-url", demo_model.base_url()] if model else []
            _manage("load_sample", "--kinds", "--in-background", *asked)
        return run_all(BASE, _home(), model=model, servers=servers_of(_home(), local))


def _serve_site() -> int:
    """Run the site as in production.

    It uses only servers that the settings name.
    """
    from config.processes import require_idle, run_all

    os.environ["PARABLE_LOCAL_SERVERS"] = "False"
    require_idle(_home())
    with _surroundings():
        _require_store()
        _manage("migrate", "--verbosity", "0")
        _manage("collectstatic", "--no-input", "--verbosity", "0")
        return run_all(BASE, _home())


def _healthy(arguments: list[str]) -> int:
    """Say by the exit code whether a worker or beat on this machine works. No server is asked."""
    parser = argparse.ArgumentParser(
        prog="manage.py healthy",
        description="Exit with 0 if this process has shown life lately, else with 1.",
    )
    parser.add_argument("process", help="worker, llm-worker, llm-worker-2 ... or beat")
    parser.add_argument("--within", type=float, default=60.0, metavar="SECONDS", help="by default 60")
    asked = parser.parse_args(arguments[1:])
    silent = seconds_silent(_home(), asked.process)
    if silent is None:
        print(f"{asked.process} has not begun on this machine.")
    else:
        print(f"{asked.process} showed life {silent:.0f} s ago.")
    return 0 if silent is not None and silent <= asked.within else 1


def _become(arguments: list[str]) -> int:
    from config.processes import become, command_lines

    name = arguments[1] if len(arguments) == 2 else ""
    os.environ["PARABLE_LOCAL_SERVERS"] = "False"  # local servers need this process, which is replaced below
    with _surroundings():
        if name not in command_lines():
            raise ImproperlyConfigured(f"Name one process: {', '.join(command_lines())}.")
        _require_store()
        become(name)
    return 0


def _require_store() -> None:
    """Exit with a sentence if the object store of the settings refuses this site.

    This is asked by a process of its own, since the store's client takes 40 MB that this one would keep.
    """
    if os.environ.get("PARABLE_S3_BUCKET", "").strip():
        command = [sys.executable, "-m", "config.object_storage"]
        if code := subprocess.run(command, cwd=BASE, check=False).returncode:
            raise SystemExit(code)


def _manage(*arguments: str) -> None:
    """Run a `manage.py` command in a new process; exit with its code if it fails."""
    command = [sys.executable, str(BASE / "manage.py"), *arguments]
    if code := subprocess.run(command, check=False).returncode:
        raise SystemExit(code)


def _without_options(about: str, start: Callable[[], int]) -> Callable[[list[str]], int]:
    """Return a command without options that calls `start`, or prints its help or a usage error."""

    def answer(arguments: list[str]) -> int:
        prog, *more = arguments
        argparse.ArgumentParser(prog=f"manage.py {prog}", description=about).parse_args(more)
        return start()

    return answer


SITE_VERBS: dict[str, Callable[[list[str]], int]] = {
    **dict.fromkeys(COMMANDS, run_on_files),
    "backup": _backup,
    "demo": _without_options("Run the site with the sample projects.", lambda: _run_local_site(sample=True)),
    "demo-llm": _without_options(
        "The same with a small language model on this machine.",
        lambda: _run_local_site(sample=True, model=True),
    ),
    "healthy": _healthy,
    "restore": _restore,
    "role_sql": _print_role_sql,
    "run": _without_options("Run the site on its local data.", lambda: _run_local_site(sample=False)),
    "serve": _without_options("Run the site as in production, with the servers that are named.", _serve_site),
    "process": _become,
    "upgrade": _upgrade,
}
