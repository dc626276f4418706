"""What a process of the site has loaded when it begins, and what it has not."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.conf import settings
from django.urls import resolve, reverse

from config.celery import app

BEAT = """
import sys
from config.celery import app
from config.schedule import Beat
beat = app.Beat(quiet=True)
beat.init_loader()
print(isinstance(beat, Beat), *(name in sys.modules for name in ("django.db.models", "jobs.tasks", "numpy")))
import logging
print(type(logging.getLogger().handlers[0]).__name__)
"""
WEB = """
import sys
import config.wsgi
names = ("config.urls", "markdown_it", "config.admin_urls", "openpyxl", "segno", "huggingface_hub")
names += ("opentelemetry", "prometheus_client")
print(*(name in sys.modules for name in names))
"""
CELERY = """
import sys
from config.celery_process import main
try:
    main(sys.argv[1], ["--help"])
except SystemExit as end:
    assert end.code == 0
print(*(name in sys.modules for name in (f"celery.bin.{sys.argv[1]}", "celery.bin.celery", "prompt_toolkit")))
"""


def _said(program: str, *arguments: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def test_beat_loads_no_apps_and_logs_as_the_site_does() -> None:
    assert _said(BEAT) == ["True", "False", "False", "False", "OutageHandler"]


@pytest.mark.parametrize("name", [entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()])
def test_workers_know_what_beat_sends_by_its_name_alone(name: str) -> None:
    """Options of a task itself would not be sent: they belong into the schedule."""
    app.loader.import_default_modules()
    task = app.tasks[name]
    options = ("queue", "exchange", "routing_key", "priority", "expires", "time_limit", "soft_time_limit")
    assert [option for option in options if getattr(task, option, None) is not None] == []


def test_the_web_has_loaded_its_pages_before_the_first_request_but_for_administrators() -> None:
    assert _said(WEB) == ["True", "True", *["False"] * 6]


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_a_process_of_celery_loads_no_other_command_of_it(name: str) -> None:
    assert _said(CELERY, name)[-3:] == ["True", "False", "False"]


@pytest.mark.parametrize(
    ("verb", "app"),
    [("check", "django.contrib.admin"), ("help", "django.contrib.admin.apps.SimpleAdminConfig")],
)
def test_check_alone_judges_the_pages_of_administrators(verb: str, app: str) -> None:
    program = (
        f"import sys; sys.argv = ['', {verb!r}]; from config import offline; print(*offline.INSTALLED_APPS)"
    )
    assert _said(program)[0] == app


@pytest.mark.parametrize("name", ["index", "accounts_user_changelist"])
def test_addresses_of_administrators_are_found_either_way(name: str) -> None:
    path = reverse(f"admin:{name}")
    assert path.startswith("/admin/")
    assert resolve(path).view_name == f"admin:{name}"
