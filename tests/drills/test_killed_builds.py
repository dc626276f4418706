"""A build whose worker is killed at any step: nothing half can be fetched; begun again, it finishes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from django.conf import settings
from django.test import Client

from jobs.queries import unfinished_jobs
from release.models import Artifact, Release, ReleaseItem, ReleaseState
from release.queries.release import BUILD
from release.services import finish_release, order_release, rebuild_release
from tests.architecture import BASE
from tests.browser.killable import database_of_this_test
from tests.config.programs import environment
from tests.factories import Cast, make_project
from tests.release.made import ALLOWED, bring, records
from tests.services import SETTINGS

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

# The worker's task in a process of its own, which says where it has come to, and waits there to be killed.
WORKER: Final = """
import sys, time
import django
django.setup()
from jobs.services import run_job
from jobs.services.job import _Reporter
from release.services import build

place, job = sys.argv[1], int(sys.argv[2])

def wait_here():
    print("here", flush=True)
    time.sleep(120)

def stop_after(name, calls):
    owner, name = (_Reporter, "__call__") if name == "report" else (build, name)
    known, count = getattr(owner, name), [0]
    def slowed(*args, **named):
        done = known(*args, **named)
        count[0] += 1
        if count[0] == calls:
            wait_here()
        return done
    setattr(owner, name, slowed)

name, calls = place.split(":")
stop_after(name, int(calls))
run_job(job_id=job)
"""
# What has been done when the worker is killed: a step noted, a file of several kept, rows written in the
# transaction that makes the release ready, all said but not committed.
PLACES: Final = (
    *("report:1", "report:2", "report:3", "report:4", "report:5"),
    *("keep:1", "keep:4", "create_rows:1", "record_event:1"),
)


def killed_at(place: str, release: Release) -> None:
    """Begin the build in another process, and kill that as soon as it has come to the place."""
    named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"} | {
        "DATABASE_URL": database_of_this_test(),
        "REDIS_URL": os.environ["REDIS_URL"],
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, place, str(unfinished_jobs(BUILD, release.pk).get().pk)],
        env=environment(Path(settings.HOME), **named),
        cwd=BASE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "here\n", f"the build never came to {place}"
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        if worker.stdout is not None:
            worker.stdout.close()
        assert worker.wait(timeout=20) == -signal.SIGKILL


def test_it_leaves_nothing_half_and_finishes_when_begun_again() -> None:
    cast: Cast = make_project()
    bring(cast, records(3))
    client = Client()
    client.force_login(cast.manager)
    for number, place in enumerate(PLACES):
        version = f"{number}.0.0"
        release = order_release(
            actor=cast.manager, project=cast.project, version=version, seed="7", recipe=ALLOWED
        )
        killed_at(place, release)
        release.refresh_from_db()
        assert release.state == ReleaseState.BUILDING, place
        assert not ReleaseItem.objects.filter(release=release).exists(), place
        assert not Artifact.objects.filter(release=release).exists(), place
        for rest in ("files/README.md", "files/test/moral.jsonl", "all.zip", "test-answers.jsonl"):
            answer = client.get(f"/p/{cast.project.slug}/releases/{version}/{rest}")
            assert answer.status_code == 404, (place, rest)
        again = finish_release(release_id=release.pk)
        assert again.state == ReleaseState.READY, place
        assert again.items.count() == 21, place
        assert rebuild_release(release=again).differing == (), place
