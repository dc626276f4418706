"""A site of its own for a bench: local servers in a temporary folder, an empty database, gone afterwards.

As in the tests, nothing survives a power cut here (no fsync), for both sides of each comparison.
"""

import atexit
import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

SETTINGS = {
    "PARABLE_ENV_FILE": os.devnull,
    "PARABLE_SECRET_KEY": "a-key-that-only-the-benches-of-parable-ever-use",
    "PARABLE_PLAIN_HTTP": "True",
    "PARABLE_HASHED_STATIC": "False",
    "PARABLE_LANGUAGE": "en",
    "PARABLE_LOG_LEVEL": "WARNING",
    "DJANGO_SETTINGS_MODULE": "config.settings",
}

_open = ExitStack()
_started: list[Path] = []


def start() -> None:
    """Start the servers, once for all benches of this run, and make the tables."""
    if _started:
        return
    from config.local import local_services

    home = Path(tempfile.mkdtemp(prefix="parable-bench-"))
    home.chmod(0o711)  # root runs PostgreSQL as another user
    _started.append(home)
    atexit.register(_open.close)
    _open.callback(shutil.rmtree, home, ignore_errors=True)
    for name in [name for name in os.environ if name.startswith("PARABLE_")]:
        del os.environ[name]
    os.environ.update(SETTINGS, PARABLE_HOME=str(home))
    os.environ |= _open.enter_context(local_services(home, durable=False))
    os.environ["DATABASE_URL"] = os.environ.get("DATABASE_OWNER_URL", os.environ["DATABASE_URL"])
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
