"""A run of the published size against the stub: 3,400 items x 3 repeats, 64 calls in flight, 1 s an answer.

Workers, beat, PostgreSQL, Redis and HTTP are real. The ideal time is the sum of all latencies divided by 64.
The measured time begins with the order, so it includes saving all questions.
"""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from benchmarks import site
from benchmarks.batch import LLM_WORKERS, PARALLEL, SETTINGS, wait_for_end, wait_for_workers
from benchmarks.hands import SiteProcess, Stub
from benchmarks.lines import Line, line

BENCH = "run"
ITEMS, REPEATS, LATENCY = 3_400, 3, 1.0
ITEMS_A_STORY = 8
MOST_TIMES_IDEAL = 1.3
GIVE_UP = 900.0
SENTENCE = "A crow who had flown all day over a dry land found a tall jar with a little water at its foot. "


def measure() -> Iterator[Line]:
    """Yield the figures of one run, from its order to the last response."""
    site.start()
    with ExitStack() as running:
        stub = running.enter_context(Stub(latency=LATENCY, hang_seconds=60, seed=4, rates={}))
        release = make_release(ITEMS)
        for name in ("worker", "beat"):
            running.enter_context(SiteProcess(name, SETTINGS))
        workers = [running.enter_context(SiteProcess(name, SETTINGS)) for name in LLM_WORKERS]
        wait_for_workers()
        before = sum(worker.cpu_seconds() for worker in workers)
        run = start_run(stub, release, repeats=REPEATS)
        seconds = wait_for_end(run.job_id, GIVE_UP)
        used = sum(worker.cpu_seconds() for worker in workers) - before
        yield from _lines(run, seconds, stub)
        yield line(BENCH, "all", "worker_cpu_per_call", round(used / (ITEMS * REPEATS) * 1000, 1), "ms")
        yield line(BENCH, "all", "load_average", round(os.getloadavg()[0], 1), "processes")


def make_release(items: int) -> Any:
    """Create a project with a frozen release of so many items, and return the release."""
    from accounts.services import create_user, system_account
    from annotation.services import import_items
    from parable.formats.records import Reading, Row
    from projects.models import Role
    from projects.services import create_project, set_roles
    from release.models import Release, ReleaseState

    slug = f"run-{time.time_ns()}"
    system = system_account()
    actor = create_user(actor=system, username=slug, name="Mia Manager", password="a password of no use here")
    project = create_project(actor=system, slug=slug, name=slug, language="en", settings={})
    set_roles(actor=system, project=project, user=actor, roles=[Role.MANAGER])
    rows = tuple(Row(number, _item(number)) for number in range(items))
    result = import_items(
        actor=actor,
        project=project,
        readings=[Reading("items.jsonl", "parable", rows, ())],
        state="verified",
        writer=actor,
    )
    assert not result.issues, result.issues
    release = Release.objects.create(
        project=project, version="1.0.0", seed="7", recipe={"withhold_test": False}, created_by=actor
    )
    _freeze(release)
    release.state = ReleaseState.READY
    release.save(update_fields=["state"])
    return release


def _freeze(release: Any) -> None:
    """Add every item of the project to the release."""
    from annotation.models import Item
    from release.models import ReleaseItem

    slug = release.project.slug
    found = Item.objects.filter(project=release.project).select_related("current").order_by("pk")
    ReleaseItem.objects.bulk_create(
        (
            ReleaseItem(
                release=release,
                item=item,
                revision=item.current,
                split="test" if number % 5 else "dev",
                number=number,
                public_id=f"{slug}-{number:06}",
                order=[0, 1, 2, 3],
                record=_record(f"{slug}-{number:06}", number),
            )
            for number, item in enumerate(found)
        ),
        batch_size=500,
    )


def _item(number: int) -> Any:
    from parable.formats.records import ItemRecord

    story = number // ITEMS_A_STORY
    return ItemRecord(
        id=f"c-{number}",
        task="commonsense",
        story_id=f"crow-{story}",
        title=f"The crow and the jar {story}",
        story=SENTENCE * 5 + f"It was on day {story}.",
        question=f"Why did the crow drop stone number {number}?",
        choices=tuple(f"because of reason {number} {letter}" for letter in "abcd"),
        answer=number % 4,
        types=("social",),
        language="en",
    )


def _record(public_id: str, number: int) -> dict[str, Any]:
    item = _item(number)
    return {
        "id": public_id,
        "task": item.task,
        "story_id": item.story_id,
        "title": item.title,
        "story": item.story,
        "question": item.question,
        "choices": list(item.choices),
        "answer": item.answer,
        "types": list(item.types),
        "style": item.style,
        "generators": [],
        "explanation": "",
        "language": "en",
    }


def start_run(stub: Stub, release: Any, *, repeats: int, timeout: int = 10) -> Any:
    """Order a run of the stub on the release, and dispatch the job that saves its questions."""
    from django.test import override_settings

    from evaluation import services
    from evaluation.queries.run import MEASURE, Asking, default_prompt
    from jobs.hooks import dispatch
    from jobs.services import create_endpoint

    with override_settings(LLM_ALLOW_PRIVATE=frozenset({"127.0.0.1"})):
        endpoint = create_endpoint(
            actor=release.created_by,
            project=release.project,
            name="letters",
            model="stub-letter",
            base_url=stub.base_url,
            parallel_calls=PARALLEL,
            requests_per_minute=1_000_000,
            tokens_per_minute=2_000_000_000,
            timeout_seconds=timeout,
            parameters={"max_tokens": 10},
        )
    asking = Asking(release=release, prompt=default_prompt(release.project), repeats=repeats)
    run = services.start_runs(actor=release.created_by, asking=asking, endpoints=[endpoint])[0]
    dispatch(MEASURE, run.pk)
    return run


def _lines(run: Any, seconds: float, stub: Stub) -> Iterator[Line]:
    from evaluation.models import Response

    calls = ITEMS * REPEATS
    ideal = calls * LATENCY / PARALLEL
    kept, asked = Response.objects.filter(run=run).count(), sum(stub.read("counts").values())
    yield line(BENCH, "all", "seconds", round(seconds, 1), "s", beside=round(ideal, 1))
    yield line(BENCH, "all", "times_ideal", round(seconds / ideal, 3), "times", most=MOST_TIMES_IDEAL)
    yield line(BENCH, "all", "lost", calls - kept, "responses", most=0)
    yield line(BENCH, "all", "asked_twice", asked - calls, "questions", most=0)
    yield line(BENCH, "all", "most_in_flight", stub.read("flight")["most"], "calls", most=PARALLEL)
