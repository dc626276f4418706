"""Runs `celery worker` or `celery beat` with less memory: `python -m config.celery_process worker ...`.

The command `celery` itself loads all its other commands, and with them an interactive prompt: 8 MB per
process.
"""

from __future__ import annotations

import logging
import sys
from importlib import import_module

from celery.bin.base import CLIContext
from django.conf import settings

from config.celery import app

logger = logging.getLogger(__name__)


def _log_what_is_printed() -> None:
    """Log what a worker would print when it stops, as every line of the log is a JSON object."""
    from celery.apps import worker

    def log(message: str, _file: object = None) -> None:
        logger.info("%s", message)

    vars(worker)["safe_say"] = log


def main(name: str, options: list[str]) -> None:
    """Run the Celery command `name` ("worker" or "beat") for our application, and exit with its code."""
    if settings.LOG_FORMAT == "json":
        _log_what_is_printed()
    command = getattr(import_module(f"celery.bin.{name}"), name)
    context = CLIContext(app=app, no_color=False, workdir=None, quiet=True)
    command.main(
        options, prog_name=f"celery {name}", obj=context, auto_envvar_prefix=f"CELERY_{name.upper()}"
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
