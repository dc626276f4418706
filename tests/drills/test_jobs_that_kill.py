"""A job that kills its worker, or eats its memory, ends with a reason, and the jobs behind it are done."""

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
from django.utils import translation

from jobs import hooks, job_types, services
from jobs.errors import LOST_WORKERS, OUT_OF_MEMORY, sentence
from jobs.models import MOST_LOSSES, UNFINISHED, Job, JobState
from jobs.services import order_job
from jobs.tasks import sweep_jobs
from tests.architecture import BASE
from tests.browser.killable import database_of_this_test
from tests.config.programs import environment, wait_until
from tests.factories import Cast, make_project
from tests.services import SETTINGS

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

# A worker as `make serve` starts it, with three kinds of jobs of its own, to which a minute is a second.
WORKER: Final = """
import os, signal, sys
import django
django.setup()
from datetime import timedelta
from pathlib import Path
import jobs.queries, jobs.services.job
from config.celery import app
from jobs.job_types import job_type

jobs.queries.LOST_AFTER, jobs.services.job.BEAT_SECONDS = timedelta(seconds=1), 0.2
closed = Path(sys.argv[1])

@job_type("kills", title="kills", on_fault=lambda subject: closed.write_text(str(subject)))
def kill(subject, report):
    os.kill(os.getpid(), signal.SIGKILL)

@job_type("eats", title="eats")
def eat(subject, report):
    import numpy
    kept = [numpy.ones(2 ** 22) for _ in range(200)]

@job_type("nibbles", title="nibbles")
def nibble(subject, report):
    kept = []
    while True:
        kept.append([None] * 1000)

@job_type("adds", title="adds")
def add(subject, report):
    import numpy
    return {"sum": int(numpy.linalg.inv(numpy.eye(500)).sum())}

app.worker_main(["worker", "--queues", "default", "--concurrency", "1", "--loglevel", "INFO",
                 "--without-gossip", "--without-mingle"])
"""


def order(cast: Cast, kind: str) -> Job:
    job = order_job(actor=cast.manager, project=cast.project, kind=kind, subject=7)
    services.stand_in_line(project_id=cast.project.pk, job_id=job.pk)
    hooks.run_job.delay()
    return job


def test_it_ends_in_three_tries_and_the_jobs_behind_it_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast, closed, log = make_project(), tmp_path / "closed", tmp_path / "worker.log"
    monkeypatch.setattr(job_types, "_job_types", job_types.job_types())
    named = {name: SETTINGS[name] for name in SETTINGS if name != "PARABLE_ENV_FILE"} | {
        "DATABASE_URL": database_of_this_test(),
        "REDIS_URL": os.environ["REDIS_URL"],
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PARABLE_WORKER_MEMORY_MB": "512",
    }
    jobs = {kind: order(cast, kind) for kind in ("kills", "eats", "nibbles", "adds")}
    with log.open("wb") as said:
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(closed)],
            env=environment(Path(settings.HOME), **named),
            cwd=BASE,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:

        def is_over() -> bool:
            sweep_jobs.delay()
            return not Job.objects.filter(state__in=UNFINISHED).exists()

        wait_until(is_over, seconds=180)
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(20)
        print(log.read_text(errors="replace")[-8000:])
    for job in jobs.values():
        job.refresh_from_db()
    ends = {kind: (job.state, job.reason, job.attempts) for kind, job in jobs.items()}
    assert ends == {
        "kills": (JobState.FAILED, LOST_WORKERS, MOST_LOSSES + 1),
        "eats": (JobState.FAILED, OUT_OF_MEMORY, 1),
        "nibbles": (JobState.FAILED, OUT_OF_MEMORY, 1),
        "adds": (JobState.DONE, "", 1),
    }
    assert log.read_text(errors="replace").count("signal 9") >= MOST_LOSSES
    assert closed.read_text() == "7"
    owner = Client()
    owner.force_login(cast.manager)
    for language in ("en", "zh-hans"):
        with translation.override(language):
            page = owner.get(f"/p/{cast.project.slug}/jobs", headers={"Accept-Language": language})
            shown = page.content.decode()
            assert sentence(LOST_WORKERS) in shown
            assert sentence(OUT_OF_MEMORY) in shown
