"""The processes that hand work to the workers know where the broker is."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASK = """
import {door}
import django
django.setup()
from django.conf import settings
from jobs.hooks import run_job as task
print(task.app.conf.broker_url == settings.CELERY_BROKER_URL)
"""


@pytest.mark.parametrize("door", ["config.wsgi", "config.command_line"])
def test_it_hands_tasks_to_the_broker_of_the_settings(door: str) -> None:
    asked = [sys.executable, "-c", ASK.format(door=door)]
    said = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60)
    assert said.stdout.strip() == "True", said.stderr
