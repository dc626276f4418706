"""manage.py generate."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from generation.management.commands import generate as command
from generation.models import Candidate
from jobs.models import Call, CallState, Job, JobState
from tests.factories import make_story
from tests.generation.bench import Bench

pytestmark = pytest.mark.django_db


def generate(bench: Bench, *more: str, **changes: str) -> dict[str, Any]:
    wanted = {
        "project": bench.cast.project.slug,
        "template": "Only the ending",
        "generator": "stub",
    } | changes
    options = [part for name, value in wanted.items() for part in (f"--{name}", value)]
    out = StringIO()
    try:
        call_command("generate", *options, *more, "--json", stdout=out, stderr=StringIO())
    except CommandError as error:
        return {"code": error.returncode, "says": str(error)} | _last_line(out)
    return {"code": 0} | _last_line(out)


def _last_line(out: StringIO) -> dict[str, Any]:
    lines = out.getvalue().splitlines()
    found: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    return found


def test_it_asks_and_waits(bench: Bench) -> None:
    make_story(bench.cast)
    seen = generate(bench, "--wait", "--as", bench.cast.writer.username)
    assert (seen["code"], seen["state"], seen["calls"], seen["candidates"]) == (0, "done", 2, 6)
    again = generate(bench, "--wait")
    assert again["code"] == 2
    assert Candidate.objects.count() == 6


def test_it_asks_about_the_named_stories_only(bench: Bench) -> None:
    other = make_story(bench.cast)
    assert generate(bench, "--wait", "--stories", other.ref)["calls"] == 1
    assert set(Candidate.objects.values_list("story", flat=True)) == {other.pk}


def test_it_says_no_where_calls_failed(bench: Bench) -> None:
    bench.add_endpoint("locked", "stub-401")
    seen = generate(bench, "--wait", generator="locked")
    assert (seen["code"], seen["state"]) == (1, "failed")
    assert seen["failures"] == [{"code": "key_wanted", "count": 1}]


def test_it_stops_at_the_budget(bench: Bench) -> None:
    bench.add_endpoint("dear", "stub-ok", price_out=1000, parameters={"max_tokens": 100})
    seen = generate(bench, "--wait", "--budget", "0.05", generator="dear")
    assert (seen["code"], seen["state"], seen["candidates"]) == (1, "paused", 0)
    assert "budget" in seen["says"]


def test_it_waits_for_what_somebody_else_has_in_hand(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(command, "SWEEP_SECONDS", 0.0)
    started = bench.start(stories=[bench.story, make_story(bench.cast)])
    mine, theirs = started.waiting
    # another worker took it and was killed: nobody but this command is there to find that out
    long_ago = timezone.now() - timedelta(hours=1)
    Call.objects.filter(pk=theirs).update(state=CallState.RUNNING, attempts=1, started_at=long_ago)
    command.work_off(started.batch.job_id, [mine])
    assert Job.objects.get(pk=started.batch.job_id).state == JobState.DONE
    assert Candidate.objects.count() == 6


@pytest.mark.parametrize(
    ("more", "changes", "words"),
    [
        ([], {"template": "None"}, "None"),
        ([], {"generator": "gpt"}, "gpt"),
        ([], {"project": "nowhere"}, "nowhere"),
        (["--stories", "no-such"], {}, "no-such"),
        (["--budget", "much"], {}, "much"),
        (["--budget", "-1"], {}, "-1"),
        (["--as", "nobody"], {}, "nobody"),
    ],
)
def test_it_refuses_what_it_cannot_use(
    bench: Bench, more: list[str], changes: dict[str, str], words: str
) -> None:
    seen = generate(bench, *more, **changes)
    assert seen["code"] == 2
    assert words in seen["says"]
