"""Django's settings, which are all read from environment variables.

`docs/settings.md` explains each setting and `.env.example` lists them; a test compares the three. This module
starts no servers: `manage.py` starts local servers before Django loads.
"""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

from celery.schedules import crontab
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from config.environment import (
    Environment,
    broker_address,
    file_storage,
    listening_address,
    mail_server,
    object_store,
    openid_connect,
)
from config.timeouts import limit_sessions
from parable.system import processors

env = Environment()

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = env.folder("PARABLE_HOME", BASE_DIR / "var")
"""The data folder: uploads, files of releases, and the local servers' data."""

# --- how this site is reached ---------------------------------------------------------------

DEBUG = env.flag("PARABLE_DEBUG", default=False)
SECRET_KEY = env.secret("PARABLE_SECRET_KEY")

PLAIN_HTTP = env.flag("PARABLE_PLAIN_HTTP", default=False)
"""Whether the site is reached without TLS, as on a campus network."""

LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]  # always allowed, for health checks on the machine
ALLOWED_HOSTS = [*LOOPBACK, *env.words("PARABLE_ALLOWED_HOSTS", "")]
PROXIES = env.number("PARABLE_PROXIES", 0, least=0, most=5)
"""The number of reverse proxies in front of the site. Their headers are trusted."""
CSRF_TRUSTED_ORIGINS = env.words("PARABLE_TRUSTED_ORIGINS", "")
for _origin in CSRF_TRUSTED_ORIGINS:
    if not _origin.startswith(("https://", "http://")):
        raise ImproperlyConfigured(
            f"PARABLE_TRUSTED_ORIGINS must list addresses like https://parable.example, not {_origin!r}."
        )

SECURE_SSL_REDIRECT = not PLAIN_HTTP
_HSTS = env.number("PARABLE_HSTS_SECONDS", 31536000, least=0, most=63072000)
SECURE_HSTS_SECONDS = 0 if PLAIN_HTTP else _HSTS
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.flag("PARABLE_HSTS_SUBDOMAINS", default=True)
SECURE_REDIRECT_EXEMPT = [
    "^api/"
]  # refused in `TransportMiddleware`: a redirect would hide a token sent in the clear
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXIES else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
# Browsers honour this header over TLS only and warn about it otherwise.
SECURE_CROSS_ORIGIN_OPENER_POLICY = None if PLAIN_HTTP else "same-origin"
# Browsers accept a cookie of such a name only over TLS, from this host and for all of it.
_PREFIX = "" if PLAIN_HTTP else "__Host-"
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{_PREFIX}sessionid", f"{_PREFIX}csrftoken"
KNOWN_BROWSER_COOKIE = f"{_PREFIX}known"
"""The name of the signed cookie that lists the users who have signed in with a browser before."""
LANGUAGE_COOKIE_NAME, MESSAGES_COOKIE = f"{_PREFIX}django_language", f"{_PREFIX}messages"
THEME_COOKIE = f"{_PREFIX}theme"
"""The name of the cookie with the theme, which a script sets (static/js/parable.js)."""
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not PLAIN_HTTP
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True  # pages hold the token
MESSAGE_STORAGE = "config.cookies.MessageStorage"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"

# No inline script or style, no other host, on any page; the plain admin works with that, too.
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
    }
}

# --- apps, middleware, templates ------------------------------------------------------------

STREET = [
    "dashboard",
    "evaluation",
    "release",
    "generation",
    "review",
    "annotation",
    "corpus",
    "events",
    "jobs",
    "projects",
    "web",
    "accounts",
    "core",
]
"""Our apps from highest to lowest. An app imports only apps that come after it."""

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # its pages are imported when requested (config/urls.py)
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",  # sessions are rows of `accounts`; archives of backups may contain its table
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",  # imports its client when a user signs in with it
    "csp",
    "django_htmx",
    "import_export",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    *STREET,
]

MIDDLEWARE = [
    "config.observation.RequestMiddleware",
    "config.middleware.TransportMiddleware",
    "csp.middleware.CSPMiddleware",  # before whitenoise, for static files too
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.CompressionMiddleware",
    "config.middleware.NoStoreMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.ProfileMiddleware",
    "accounts.sessions.TrailMiddleware",
    "config.middleware.QueuedFormMiddleware",
    "config.middleware.OnceMiddleware",
    "config.middleware.RefusalMiddleware",
    "config.middleware.BoundedFormMiddleware",
    "config.sign_in.SignInMiddleware",
    "config.sign_in.SecondFactorMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["web.templatetags.figures"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.context.surroundings",
            ],
        },
    }
]

# --- accounts and sign-in -------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.sessions.AccountBackend"]
SESSION_ENGINE = "accounts.sessions"
SESSION_HOURS = env.number("PARABLE_SESSION_HOURS", 336, least=1, most=336)
"""The hours without a request after which a session ends; at the latest, it ends two weeks after sign-in."""
PASSWORD_HASHERS = ["accounts.hasher.QueuedPasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTH_PASSWORD_VALIDATORS += [{"NAME": "accounts.passwords.SiteWordsValidator"}]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"

ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_FORMS = {"login": "accounts.forms.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "http" if PLAIN_HTTP else "https"
# Forty people may sign in within a minute from one address (a campus behind one router). Wrong passwords are
# limited by address, by name and address together, and more generously by name alone. For a browser in which
# the user signed in before, a single limit replaces these three (accounts/adapters.py).
# The library counts wrong codes of the second factor by user as `login_failed`.
ACCOUNT_RATE_LIMITS = {
    "login": "120/m/ip",
    "login_failed": "5/300s/key",
    "login_failed_address": "60/m/ip",
    "login_failed_here": "5/300s/key",
    "login_failed_name": "50/300s/key",
    "login_failed_browser": "5/300s/key",
}
ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES
MFA_ADAPTER = "accounts.adapters.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Parable"
REQUIRE_TOTP = env.choice("PARABLE_REQUIRE_TOTP", "nobody", among=("nobody", "administrators", "all"))
"""Whose sessions need a second factor; everybody may have one."""
PASSWORD_RESET_TIMEOUT = 3600 * env.number("PARABLE_RESET_HOURS", 72, least=1, most=720)
"""The seconds for which a password link is valid."""

# --- signing in by OpenID Connect ------------------------------------------------------------

OIDC_URL = env.text("PARABLE_OIDC_URL", "").rstrip("/")
"""The issuer at which users may sign in; "" if there is none."""
OIDC_NAME = env.text("PARABLE_OIDC_NAME", "single sign-on")
_OIDC_CLIENT, _OIDC_SECRET = env.text("PARABLE_OIDC_CLIENT", ""), env.text("PARABLE_OIDC_SECRET", "")
OIDC_CLAIM, OIDC_ROLES = env.groups("PARABLE_OIDC_GROUPS")
"""The claim with a user's groups, and the roles that each group gives; {} if roles are given here alone."""
OIDC_HOURS = env.number("PARABLE_OIDC_HOURS", 8, least=1, most=336)
"""The hours after which a session by the provider ends, also that of a user whom the provider has removed."""
if OIDC_URL and not (_OIDC_CLIENT and _OIDC_SECRET):
    raise ImproperlyConfigured("PARABLE_OIDC_URL needs PARABLE_OIDC_CLIENT and PARABLE_OIDC_SECRET.")
if OIDC_URL and not OIDC_URL.startswith(("https://", "http://" if PLAIN_HTTP else "https://")):
    raise ImproperlyConfigured("PARABLE_OIDC_URL must be an address like https://login.example.")
SOCIALACCOUNT_ADAPTER = "accounts.adapters.ProviderAdapter"
SOCIALACCOUNT_PROVIDERS = openid_connect(OIDC_URL, OIDC_NAME, _OIDC_CLIENT, _OIDC_SECRET)
# The policy for forms above lets no form through to another host.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"

# --- mail -----------------------------------------------------------------------------------

MAIL_URL = env.mail("PARABLE_MAIL_URL")
"""The URL of the server that sends the daily mail. If empty, no mail is sent."""
MAIL_FROM = DEFAULT_FROM_EMAIL = env.text("PARABLE_MAIL_FROM", "parable@localhost")
SITE_URL = env.text("PARABLE_SITE_URL", "").rstrip("/")
"""The URL of the site for links in mails, which are written outside of requests."""
if MAIL_URL and not SITE_URL.startswith(("https://", "http://")):
    raise ImproperlyConfigured(
        "PARABLE_SITE_URL must be the address of the site, as in https://parable.example, where mail is sent."
    )
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL_URL else 'dummy'}.EmailBackend"
EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_SSL, EMAIL_USE_TLS = mail_server(
    MAIL_URL
)
EMAIL_TIMEOUT = 20

# --- languages and time ---------------------------------------------------------------------

LANGUAGE_CODE = env.choice("PARABLE_LANGUAGE", "en", among=("en", "zh-hans"))
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "parable" / "locale"]
# one date format for each length and language
FORMAT_MODULE_PATH = "config.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- uploads and forms ----------------------------------------------------------------------

SMALL_BODY = 2 * 1024 * 1024
"""The most bytes of a request, except for views that accept uploads (see `web.files`)."""
DATA_UPLOAD_MAX_MEMORY_SIZE = SMALL_BODY
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
DATA_UPLOAD_MAX_NUMBER_FILES = 20

# --- data -----------------------------------------------------------------------------------

DATABASE_URL = env.text("DATABASE_URL")
DATABASES = {"default": env.database("DATABASE_URL")}
POOLER = env.flag("PARABLE_POOLER", default=False)
"""Whether a pooler lends a connection for each transaction, so that nothing may be kept in a session.

Cursors of forked processes would share their names, and read each other's rows; statements prepared before a
migration would fail after it; the time limits of sessions must be set for the role.
"""
DATABASES["default"]["CONN_MAX_AGE"] = env.number("PARABLE_DATABASE_SECONDS", 60, least=0, most=86400)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["ENGINE"] = "config.postgresql"
DATABASES["default"]["OPTIONS"] = {
    # The loss of the server is detected within a minute, during a statement and between statements.
    "connect_timeout": env.number("PARABLE_CONNECT_SECONDS", 10, least=2, most=300),
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
    # only statements of `web.rows`: they are planned once per connection
    "prepare_threshold": None if POOLER else 1,
    **DATABASES["default"].get("OPTIONS", {}),
}
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = POOLER
STATEMENT_SECONDS = env.number("PARABLE_STATEMENT_SECONDS", 30, least=0, most=3600)
"""The most seconds that a statement of a request may run. Jobs and commands have no such limit."""
LOCK_SECONDS = env.number("PARABLE_LOCK_SECONDS", 10, least=0, most=3600)
"""The most seconds that a statement of a request waits for a lock of another transaction."""
IDLE_TRANSACTION_SECONDS = env.number("PARABLE_IDLE_TRANSACTION_SECONDS", 600, least=0, most=86400)
"""The most seconds that a transaction may be idle before PostgreSQL ends it and releases its locks."""
if not POOLER:
    limit_sessions(DATABASES["default"], idle_in_transaction_session_timeout=IDLE_TRANSACTION_SECONDS)
# Migrations and other commands of the owner use this database role; manage.py selects it.
DATABASE_OWNER = env.database("DATABASE_OWNER_URL", DATABASE_URL)

REDIS_URL = env.redis("REDIS_URL")
_REDIS_SECONDS = env.number("PARABLE_REDIS_SECONDS", 5, least=1, most=300)
CACHES = {
    "default": {
        "BACKEND": "config.cache.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "parable",
        "OPTIONS": {"socket_connect_timeout": _REDIS_SECONDS, "socket_timeout": _REDIS_SECONDS},
    }
}

# --- files ----------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = env.folder("PARABLE_STATIC_ROOT", HOME / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
HASHED_STATIC = env.flag("PARABLE_HASHED_STATIC", default=not DEBUG)
"""Whether names of static files include a hash of their content, so that browsers can cache them."""
OBJECT_STORE = object_store(env)
"""The options of the object store that has the files; {} if they are in the data folder of this machine."""
STORAGES = {  # none has a public address: files are served by views that check the user
    # uploads and files that wait for a worker
    "default": file_storage(HOME / "files", OBJECT_STORE),
    # files of releases, named by the hash of their content
    "releases": file_storage(HOME / "releases", OBJECT_STORE),
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if HASHED_STATIC
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not HASHED_STATIC
# The folder is created by collectstatic; before that (tests, checks) whitenoise would warn about it.
WHITENOISE_AUTOREFRESH = not HASHED_STATIC

# --- work in the background -----------------------------------------------------------------

CELERY_BROKER_URL = broker_address(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True  # the row is the job; nothing reads results from the broker
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_CREATE_MISSING_QUEUES = True
# Calls to LLMs have a queue and workers of their own, so that no other task has to wait for them.
CELERY_TASK_ROUTES = {
    "generation.tasks.run_call": {"queue": "llm"},
    "generation.tasks.run_trial": {"queue": "llm"},
    "evaluation.tasks.run_call": {"queue": "llm"},
    "review.tasks.run_call": {"queue": "llm"},
    # waits for the servers of others, too
    "events.tasks.deliver": {"queue": "llm"},
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # reconnect even to a server that was down for an hour
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": env.number("PARABLE_REDELIVERY_SECONDS", 3600, least=60, most=86400),
    "socket_timeout": 30,
    "socket_connect_timeout": 5,
}
CELERY_TIMEZONE = "UTC"
GATE_SLICE_ITEMS = env.number("PARABLE_GATE_SLICE_ITEMS", 200_000, least=1_000, most=2_000_000)
"""The most unreleased items of a project that one job checks; more are checked in slices of this size."""
CELERY_BEAT_SCHEDULER = "config.schedule:FileScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(HOME / "beat-schedule")
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "sweep-orphans": {"task": "jobs.tasks.sweep_orphans", "schedule": 10.0, "options": {"expires": 10}},
    "forget-old-jobs": {"task": "jobs.tasks.forget_old_jobs", "schedule": 6 * 3600.0},
    "clean-up-accounts": {"task": "accounts.tasks.clean_up", "schedule": 6 * 3600.0},
    "sweep-jobs": {"task": "jobs.tasks.sweep_jobs", "schedule": 30.0, "options": {"expires": 30}},
    "empty-bin": {"task": "annotation.tasks.empty_bin", "schedule": 6 * 3600.0},
    "forget-audits": {"task": "annotation.tasks.forget_audits", "schedule": 300.0},
    "index-words": {"task": "annotation.tasks.index_words", "schedule": 10.0, "options": {"expires": 10}},
    "check-gates": {"task": "release.tasks.check_gates_nightly", "schedule": crontab(hour="2", minute="15")},
    "sweep-statistics": {"task": "review.tasks.sweep_statistics", "schedule": 60.0},
    "daily-mail": {"task": "dashboard.tasks.send_daily_mail", "schedule": crontab(minute="5")},
    "sweep-events": {"task": "events.tasks.sweep_events", "schedule": 5.0, "options": {"expires": 5}},
    "forget-old-events": {"task": "events.tasks.forget_old_events", "schedule": 6 * 3600.0},
    "sweep-verdicts": {"task": "review.tasks.sweep_verdicts", "schedule": 60.0, "options": {"expires": 60}},
}
"""Periodic tasks: {"name": {"task": "app.tasks.name", "schedule": seconds or crontab}}."""

# --- checks of files without a project ------------------------------------------------------

OPEN_AUDIT = env.flag("PARABLE_OPEN_AUDIT", default=False)
"""Whether people without an account may check files, which are deleted after an hour with the findings."""

# --- hub of data sets -----------------------------------------------------------------------

HUB_URL = env.hub("PARABLE_HUB_URL", "https://huggingface.co")
"""The only hub to which this site sends releases; "" if it sends none."""

# --- language models ------------------------------------------------------------------------

LLM_ALLOW_PRIVATE = frozenset(env.words("PARABLE_LLM_ALLOW_PRIVATE", ""))
"""Hosts (or host:port) in the internal network that endpoints may call as an exception."""
KEY_SECRETS = env.secrets("PARABLE_KEY_SECRETS")
"""The secrets for stored API keys. The first one encrypts new keys, the others only decrypt."""
LLM_KEYS = env.words("PARABLE_LLM_KEYS", "PARABLE_LLM_KEY_*")
"""Patterns for the names of environment variables that may contain API keys of endpoints."""

LLM_LOST_SECONDS = env.number("PARABLE_LLM_LOST_SECONDS", 30, least=1, most=3600)
"""The seconds by which a call may exceed its time-out before it is given to another worker."""

# --- programming interface ------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "projects.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "projects.authentication.HasScope",
    ],
    "DEFAULT_THROTTLE_CLASSES": [
        "projects.authentication.TokenThrottle",
        "projects.authentication.HeavyThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "token": f"{env.number('PARABLE_API_REQUESTS', 600, least=1, most=1_000_000)}/min",
        "heavy": f"{env.number('PARABLE_API_HEAVY', 30, least=1, most=1_000_000)}/min",
    },
    "DEFAULT_RENDERER_CLASSES": ["web.renderer.Renderer"],
    "DEFAULT_PARSER_CLASSES": ["config.parsers.BoundedJSONParser"],
    "EXCEPTION_HANDLER": "config.refusals.answer",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Parable",
    "DESCRIPTION": "What the pages of Parable ask of the server, and what scripts may ask.",
    "VERSION": "1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.schema.add_problems",
    ],
    "ENUM_NAME_OVERRIDES": {
        "ItemState": "annotation.models.State",
        "JobState": "jobs.models.JobState",
        "ImportState": "annotation.importer.IMPORT_STATES",
        "TaskEnum": "projects.models.task_choices",
        "TiedTask": "parable.formats.published.TIED_TASKS",
        "UploadState": "corpus.models.UploadState",
        "EventTypeEnum": "events.models.EventKind",
    },
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- numbers of processes (for those that `make run` and `make serve` start) ----------------

BIND, PORT = listening_address(env)
WEB_WORKERS = env.number("PARABLE_WEB_WORKERS", min(2, processors()), least=1, most=64)
WEB_THREADS = env.number("PARABLE_WEB_THREADS", 8, least=1, most=64)
WEB_CONNECTIONS = env.number("PARABLE_WEB_CONNECTIONS", 512, least=16, most=2000)
WORKERS = env.number("PARABLE_WORKERS", 2, least=1, most=64)
WORKER_MEMORY_MB = env.number("PARABLE_WORKER_MEMORY_MB", 2048, least=256, most=1_048_576)
"""The memory limit of a worker process. A job that needs more fails with a reason."""
LLM_WORKERS = env.number("PARABLE_LLM_WORKERS", 4, least=1, most=64)

STOP_SECONDS = env.number("PARABLE_STOP_SECONDS", 120, least=1, most=3600)
"""The most seconds to wait for calls and tasks in progress when the site is stopped."""

# --- seen from outside ----------------------------------------------------------------------

METRICS_TOKEN = env.secret("PARABLE_METRICS_TOKEN", "")
"""The token with which Prometheus may read `/metrics`; "" if there is no such address."""

OTLP_URL = env.text("PARABLE_OTLP_URL", "").rstrip("/")
"""The collector to which traces are sent; "" if none are made."""
if OTLP_URL and not OTLP_URL.startswith(("https://", "http://")):
    raise ImproperlyConfigured("PARABLE_OTLP_URL must be an address like http://collector.example:4318.")

# --- logging --------------------------------------------------------------------------------

LOG_LEVEL = env.choice("PARABLE_LOG_LEVEL", "INFO", among=("DEBUG", "INFO", "WARNING", "ERROR"))
LOG_FORMAT = env.choice("PARABLE_LOG_FORMAT", "text", among=("text", "json"))
# Lines on stderr. Bodies of requests and responses are never logged, as items contain keys.
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "config.json_log.JsonFormatter"},
    },
    "filters": {
        "hide_tokens": {"()": "config.redaction.HideTokens"},
        "escape_controls": {"()": "config.redaction.EscapeControls"},
        # With DEBUG, these messages are logged as well.
        "hide_routine": {
            "()": "config.redaction.HideRoutine",
            "tasks": [] if LOG_LEVEL == "DEBUG" else [each["task"] for each in CELERY_BEAT_SCHEDULE.values()],
        },
    },
    "handlers": {
        "stderr": {
            "class": "config.outage_log.OutageHandler",
            "formatter": LOG_FORMAT,
            "filters": ["hide_tokens", "escape_controls", "hide_routine"],
        }
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": LOG_LEVEL, "propagate": False},
        # The client for LLMs logs prompts at DEBUG.
        "openai": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "httpcore2": {"level": "WARNING"},
        # The client of an object store logs whole requests and what they hold.
        "botocore": {"level": "WARNING"},
        "urllib3": {"level": "WARNING"},
        # Each attempt to reach a collector that is away is a warning.
        "opentelemetry": {"level": "ERROR"},
    },
}
if LOG_FORMAT == "json":
    from config.json_log import log_uncaught

    log_uncaught()

for _pattern in LLM_KEYS:
    if _read := sorted(name for name in env.declared if fnmatch.fnmatchcase(name, _pattern)):
        raise ImproperlyConfigured(
            f"PARABLE_LLM_KEYS must not let an endpoint read a setting: {_pattern!r} matches {_read[0]}."
        )
