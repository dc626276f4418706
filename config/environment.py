"""Reads settings from environment variables, and rejects invalid values with a message.

Every setting is declared once, by a call to a method of `Environment`; `declared` has their names, so that a
test can compare them with `.env.example` and `docs/settings.md`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

POSTGRESQL = "django.db.backends.postgresql"
LEAST_SECRET = 32
ROLES = {"writer", "reviewer", "verifier", "manager", "observer"}
"""The roles of projects, whose model cannot be imported before the settings; a test compares them."""
NO_HUB = "none"
REDIS_SCHEMES = ("redis://", "rediss://", "unix://")


class Environment:
    """The environment variables of this process. Each method declares a setting and returns its value.

    Every method raises ImproperlyConfigured, naming the setting, if the value is not valid. An empty setting
    counts as not set.
    """

    def __init__(self) -> None:
        self._source = environ.Env()
        self.declared: set[str] = set()

    def text(self, name: str, default: str | None = None) -> str:
        """Return the value as a string. Without a default, the setting is required."""
        self.declared.add(name)
        value = str(self._source.str(name, default="")).strip()
        if value:
            return value
        if default is None:
            raise ImproperlyConfigured(f"{name} is not set; docs/settings.md says what it is for.")
        return default

    def secret(self, name: str, default: str | None = None) -> str:
        """Return a value of at least `LEAST_SECRET` characters. Without a default, it is required."""
        value = self.text(name, default)
        if value != default and len(value) < LEAST_SECRET:
            raise ImproperlyConfigured(f"{name} must have at least {LEAST_SECRET} characters.")
        return value

    def secrets(self, name: str) -> list[str]:
        """Return a comma-separated list of values that are each valid for `secret`. It may be empty."""
        values = self.words(name, "")
        if any(len(value) < LEAST_SECRET for value in values):
            raise ImproperlyConfigured(f"{name}: each must have at least {LEAST_SECRET} characters.")
        return values

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean, given as True, False, true or false."""
        value = self.text(name, str(default))
        if value not in ("True", "False", "true", "false"):
            raise ImproperlyConfigured(f"{name} must be True or False, not {value!r}.")
        return value.lower() == "true"

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`."""
        value = self.text(name, str(default))
        number = int(value) if value.isascii() and value.removeprefix("-").isdigit() else None
        if number is None or not least <= number <= most:
            raise ImproperlyConfigured(
                f"{name} must be a whole number from {least} to {most}, not {value!r}."
            )
        return number

    def choice(self, name: str, default: str, *, among: Sequence[str]) -> str:
        """Return a value, which must be one of those in `among`."""
        value = self.text(name, default)
        if value not in among:
            raise ImproperlyConfigured(f"{name} must be one of {', '.join(among)}, not {value!r}.")
        return value

    def words(self, name: str, default: str) -> list[str]:
        """Return the parts of a comma-separated list, without empty parts."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def folder(self, name: str, default: Path) -> Path:
        """Return the absolute path of a folder, which need not exist yet."""
        path = Path(self.text(name, str(default))).expanduser().absolute()
        if path.exists() and not path.is_dir():
            raise ImproperlyConfigured(f"{name} must be a folder, but {str(path)!r} is a file.")
        return path

    def database(self, name: str, default: str | None = None) -> dict[str, Any]:
        """Return a PostgreSQL URL (postgres://...) as Django's settings for a database."""
        return parse_database(name, self.text(name, default))

    def redis(self, name: str) -> str:
        """Return the URL of a Redis server, which begins with redis://, rediss:// or unix://."""
        value = self.text(name)
        if not value.startswith(REDIS_SCHEMES):
            raise ImproperlyConfigured(
                f"{name} must be the address of a Redis server, as in redis://host:6379/0."
            )
        return value

    def hub(self, name: str, default: str) -> str:
        """Return the URL of a hub of data sets, or "" if the value is `none`.

        It must use https://, unless the hub is on this machine.
        """
        value = self.text(name, default).rstrip("/")
        if value == NO_HUB:
            return ""
        if value == default:
            return value
        # Every process reads this setting, so the module is only imported for a hub other than the default.
        from parable.commands.push import may_be_sent_tokens

        if not may_be_sent_tokens(value):
            raise ImproperlyConfigured(
                f"{name} must be the address of a hub, as in https://huggingface.co, or {NO_HUB}."
            )
        return value

    def groups(self, name: str) -> tuple[str, dict[str, list[tuple[str, str]]]]:
        """Return a claim and the roles that its groups give, as (project, role) by group.

        The value is as in `groups: editors=fables:writer, leads=fables:manager`.
        """
        value = self.text(name, "")
        right = f"{name} must be as in groups: editors=fables:writer"
        claim, _colon, pairs = value.partition(":")
        found: dict[str, list[tuple[str, str]]] = {}
        for pair in filter(None, (each.strip() for each in pairs.split(","))):
            group, _sign, given = pair.rpartition("=")
            project, _colon, role = given.partition(":")
            if not (group.strip() and project.strip() and role.strip() in ROLES):
                raise ImproperlyConfigured(
                    f"{name} must be as in groups: editors=fables:writer, not {pair!r}."
                )
            found.setdefault(group.strip(), []).append((project.strip(), role.strip()))
        if value and not (claim.strip() and found):
            raise ImproperlyConfigured(f"{right}, not {value!r}.")
        return claim.strip(), found

    def mail(self, name: str) -> str:
        """Return the URL of a mail server (smtp://, smtp+tls:// or smtps://), or "" if not set."""
        value = self.text(name, "")
        if value and not _is_mail_server(value):
            raise ImproperlyConfigured(
                f"{name} must be the address of a mail server, as in smtp+tls://user:password@host:587."
            )
        return value


def listening_address(env: Environment) -> tuple[str, int]:
    """Return the host and port on which the site listens."""
    return env.text("PARABLE_BIND", "127.0.0.1"), env.number("PARABLE_PORT", 8000, least=1, most=65535)


MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


def _is_mail_server(value: str) -> bool:
    parts = urlsplit(value)
    try:
        return parts.scheme in MAIL_PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number
        return False


def mail_server(url: str) -> tuple[str, int, str, str, bool, bool]:
    """Return (host, port, user, password, uses TLS, uses STARTTLS) from the URL of a mail server."""
    parts = urlsplit(url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    port = parts.port or MAIL_PORTS.get(parts.scheme, 25)
    return parts.hostname or "", port, user, password, parts.scheme == "smtps", parts.scheme == "smtp+tls"


def broker_address(redis: str) -> str:
    """Return the URL of a Redis server in Celery's notation, which differs for unix:// URLs."""
    if not redis.startswith("unix://"):
        return redis
    path, _, query = redis.removeprefix("unix://").partition("?")
    words = [("virtual_host" if name == "db" else name, value) for name, value in parse_qsl(query)]
    return f"redis+socket://{path}" + (f"?{urlencode(words)}" if words else "")


def parse_database(name: str, url: str) -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL URL. Errors name the setting `name`."""
    try:
        with warnings.catch_warnings(action="ignore"):  # values that cause warnings are refused below
            parsed: dict[str, Any] = environ.Env.db_url_config(url)
    except (ValueError, ImproperlyConfigured):  # a port that is no number, for instance
        parsed = {}
    if parsed.get("ENGINE") != POSTGRESQL or not parsed.get("NAME"):
        raise ImproperlyConfigured(
            f"{name} must be the address of a PostgreSQL database, as in"
            " postgres://user:password@host:5432/parable."
        )
    # A socket's folder is given as ?host=..., as for PostgreSQL's own tools.
    if socket_folder := parsed.get("OPTIONS", {}).pop("host", None):
        parsed["HOST"] = socket_folder
    return parsed


def object_store(env: Environment) -> dict[str, Any]:
    """Return the options of `config.object_storage.ObjectStorage`; {} if files are in the data folder."""
    bucket, url = env.text("PARABLE_S3_BUCKET", ""), env.text("PARABLE_S3_URL", "").rstrip("/")
    key, secret = env.text("PARABLE_S3_KEY", ""), env.text("PARABLE_S3_SECRET", "")
    encryption = env.choice("PARABLE_S3_ENCRYPTION", "none", among=("none", "AES256", "aws:kms"))
    options = {
        "bucket_name": bucket,
        "endpoint_url": url or None,
        "access_key": key,
        "secret_key": secret,
        "region_name": env.text("PARABLE_S3_REGION", "us-east-1"),
        "addressing_style": env.choice(
            "PARABLE_S3_ADDRESSING", "path" if url else "virtual", among=("path", "virtual")
        ),
        "object_parameters": {} if encryption == "none" else {"ServerSideEncryption": encryption},
        "seconds": env.number("PARABLE_S3_SECONDS", 15, least=1, most=300),
    }
    prefix = env.text("PARABLE_S3_PREFIX", "").strip("/")
    if not bucket:
        if url or key or secret or prefix:
            raise ImproperlyConfigured("PARABLE_S3_BUCKET must be set where another PARABLE_S3_ setting is.")
        return {}
    if not (key and secret):
        raise ImproperlyConfigured("PARABLE_S3_BUCKET needs PARABLE_S3_KEY and PARABLE_S3_SECRET.")
    if url and not (url.startswith(("https://", "http://")) and urlsplit(url).hostname):
        raise ImproperlyConfigured("PARABLE_S3_URL must be the address of a store, as in https://s3.example.")
    if not (find_spec("boto3") and find_spec("storages")):
        raise ImproperlyConfigured(
            "PARABLE_S3_BUCKET needs packages that are not installed: python3 scripts/install.py serving."
        )
    return options | {"location": f"{prefix}/" if prefix else ""}


def file_storage(folder: Path, store: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of STORAGES for a folder of the data folder, or for its like in the store."""
    if store:
        options = store | {"location": f"{store['location']}{folder.name}"}
        return {"BACKEND": "config.object_storage.ObjectStorage", "OPTIONS": options}
    modes = {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
    return {"BACKEND": "config.storage.WholeFileStorage", "OPTIONS": modes | {"location": folder}}


def openid_connect(url: str, name: str, client: str, secret: str) -> dict[str, Any]:
    """Return allauth's settings for a provider of OpenID Connect; {} without a URL."""
    if not url:
        return {}
    app = {
        "provider_id": "oidc",
        "name": name,
        "client_id": client,
        "secret": secret,
        "settings": {"server_url": url},
    }
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}
