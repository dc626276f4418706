"""A few people use a whole site far faster than people do: no error, and nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict

import pytest

from benchmarks.load import INSTALL, LOCUST
from tests.architecture import BASE

pytestmark = pytest.mark.drill

OURS = ("PARABLE_", "DATABASE_", "REDIS_", "DJANGO_", "PYTEST_", "CELERY_")
PEOPLE = "writers=4,reviewers=4,managers=1"


def test_people_at_forty_times_their_pace_meet_no_error_and_lose_nothing() -> None:
    subprocess.run(INSTALL, cwd=BASE, check=False)
    if not LOCUST.exists():
        pytest.skip("locust could not be installed here")
    command = [sys.executable, "-m", "benchmarks.load", "--people", PEOPLE, "--items", "400"]
    command += ["--pace", "40", "--arrivals", "4", "--enough", "5", "--minutes", "6"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    done = subprocess.run(
        command, cwd=BASE, env=environment, capture_output=True, text=True, check=False, timeout=900
    )
    figures = defaultdict[str, dict[str, float]](dict)
    for text in done.stdout.splitlines():
        if text.startswith("{"):
            one = json.loads(text)
            figures[one["case"]][one["metric"]] = one["value"]
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for page in ("autosave", "check", "submit", "answer", "verdict", "today", "overview"):
        assert figures[page]["requests"] > 0, page
        assert figures[page]["errors"] == 0, page
    for name in ("submitted", "judged"):
        assert figures[name]["acknowledged"] > 0, name
        assert figures[name]["lost"] == figures[name]["not_acknowledged"] == 0, name
