"""What is wrong with the installation: database, servers, processes, disk, backups, tokens and packages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from importlib.metadata import PackageNotFoundError, version
from typing import Final, NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from redis.exceptions import RedisError

from core.backups import last_backup
from jobs.queries import SILENCE, worker_seen
from projects.models import AccessToken
from web.file_store import file_store
from web.session_limits import missing_limits

BACKUP_EVERY: Final = timedelta(hours=26)
"""A nightly backup is older only if one has failed."""
LEAST_FREE: Final = 0.1
"""The share of a disk below which it is nearly full."""
EXPIRES_WITHIN: Final = timedelta(days=7)
QUEUES: Final = ("default", "llm")
ADVISORIES: Final = settings.BASE_DIR / "requirements" / "advisories.json"
"""The known vulnerabilities of locked packages, as `make advisories` writes them."""
ADVISORY: Final = ("package", "version", "id", "fixed")
ADVISORIES_EVERY: Final = timedelta(days=90)


class Finding(NamedTuple):
    """Something wrong, and how to fix it. `is_grave`: people cannot work, or data may be lost."""

    code: str
    is_grave: bool
    said: str
    cure: str


def findings() -> list[Finding]:
    """Return what is wrong with the installation, the grave first. Each check asks once."""
    found = [one for check in CHECKS for one in check()]
    return sorted(found, key=lambda one: not one.is_grave)


def _migrations() -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    if missing := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        words = ngettext(
            "%(n)d migration is not applied: the database is older than this version.",
            "%(n)d migrations are not applied: the database is older than this version.",
            len(missing),
        )
        yield Finding("migrations", True, words % {"n": len(missing)}, _("Run manage.py migrate."))


def _limits() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        missing = missing_limits(cursor)
    if missing:
        yield Finding(
            "limits",
            True,
            _("The time limits of database sessions do not arrive: something between drops them."),
            _("Set them for the role of DATABASE_URL with ALTER ROLE … SET, as docs/operating.md shows."),
        )


def _owner() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tableowner = current_user"
        )
        (owned,) = cursor.fetchone()
    if owned:
        yield Finding(
            "owner",
            False,
            _("The role of DATABASE_URL owns tables, so it could switch off the rules of the database."),
            _("Set DATABASE_OWNER_URL, and for DATABASE_URL another role: see manage.py role_sql."),
        )


def _redis() -> Iterator[Finding]:
    try:
        cache.get("doctor")
    except (RedisError, OSError):
        yield Finding(
            "redis",
            True,
            _("Redis does not respond: background work and limits on sign-in wait."),
            _("Start Redis, or correct REDIS_URL."),
        )


def _workers() -> Iterator[Finding]:
    try:
        seen = {queue: worker_seen(queue) for queue in QUEUES}
    except (RedisError, OSError):  # which `_redis` says
        return
    for queue, at in seen.items():
        if at is None or at < timezone.now() - SILENCE:
            yield Finding(
                f"worker_{queue}",
                True,
                _("No worker of the queue “%(queue)s” was seen lately: its jobs wait.") % {"queue": queue},
                _("Start the site's workers, and look into their log."),
            )


def _disk() -> Iterator[Finding]:
    disk = shutil.disk_usage(settings.HOME)
    if disk.free < LEAST_FREE * disk.total:
        share = {"percent": 100 * disk.free // disk.total, "folder": settings.HOME}
        yield Finding(
            "disk",
            True,
            _("Only %(percent)d %% of the disk with %(folder)s is free.") % share,
            _("Free some space, or move PARABLE_HOME to a larger disk."),
        )


def _files() -> Iterator[Finding]:
    try:
        file_store("default").require()
    except OSError as error:
        yield Finding(
            "files",
            True,
            _("Files cannot be stored: %(reason)s") % {"reason": error},
            _("Correct the settings PARABLE_S3_… or PARABLE_HOME, as docs/operating.md shows."),
        )


def _backup() -> Iterator[Finding]:
    noted = last_backup(settings.HOME)
    cure = _("Run manage.py backup DIR each night, as docs/operating.md shows.")
    if noted is None:
        yield Finding("backup", False, _("No backup of this site was made yet."), cure)
    elif (age := timezone.now() - noted.at) > BACKUP_EVERY:
        hours = int(age.total_seconds() // 3600)
        said = ngettext(
            "The newest backup is %(n)d hour old.", "The newest backup is %(n)d hours old.", hours
        ) % {"n": hours}
        yield Finding("backup", True, said, cure)


def _tokens() -> Iterator[Finding]:
    now = timezone.now()
    soon = AccessToken.objects.filter(
        revoked_at=None, expires_at__gt=now, expires_at__lte=now + EXPIRES_WITHIN
    ).count()
    if soon:
        said = ngettext(
            "%(n)d access token expires within seven days.",
            "%(n)d access tokens expire within seven days.",
            soon,
        )
        yield Finding(
            "tokens",
            False,
            said % {"n": soon},
            _("Create a new one for the script, on the page Access tokens."),
        )


def _secrets() -> Iterator[Finding]:
    if not settings.KEY_SECRETS:
        yield Finding(
            "key_secrets",
            False,
            _("API keys and secrets of webhooks cannot be stored."),
            _("Set PARABLE_KEY_SECRETS."),
        )
    if settings.DEBUG:
        yield Finding(
            "debug",
            True,
            _("PARABLE_DEBUG is on: errors show parts of the site."),
            _("Set PARABLE_DEBUG=False."),
        )


def _packages() -> Iterator[Finding]:
    """Compare the list of known vulnerabilities with what is installed. Nobody is asked."""
    cure = _("Run make advisories, or update Parable.")
    try:
        listed = json.loads(ADVISORIES.read_text(encoding="utf-8"))
        of = date.fromisoformat(listed["date"])
        known = [
            (str(one["package"]), one["version"], one["id"], one["fixed"]) for one in listed["advisories"]
        ]
    except (OSError, ValueError, KeyError, TypeError):
        yield Finding("advisories", False, _("There is no list of known vulnerabilities of packages."), cure)
        return
    for package, affected, name, fixed in known:
        if _installed(package) == affected:
            said = {"package": package, "version": affected, "id": name}
            yield Finding(
                f"vulnerable_{package}",
                True,
                _("%(package)s %(version)s has a known vulnerability: %(id)s.") % said,
                _("Update Parable, or install %(package)s %(fixed)s.")
                % {"package": package, "fixed": " / ".join(fixed)}
                if fixed
                else _("There is no version without it yet: read the advisory."),
            )
    if timezone.now().date() - of > ADVISORIES_EVERY:
        said_of = {"date": of.isoformat()}
        yield Finding(
            "advisories",
            False,
            _("The list of known vulnerabilities of packages is from %(date)s.") % said_of,
            cure,
        )


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


CHECKS: Final[tuple[Callable[[], Iterator[Finding]], ...]] = (
    *(_migrations, _limits, _owner, _redis, _workers),
    *(_disk, _files, _backup, _tokens, _secrets, _packages),
)
_WITHOUT_QUERIES: Final = (_workers, _disk, _backup, _packages)


def warnings() -> list[Finding]:
    """Return the grave findings that cost no query, for the first page of administrators."""
    return [one for check in _WITHOUT_QUERIES for one in check() if one.is_grave]
