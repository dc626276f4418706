"""A batch of the published size against the stub: 436 stories x 2 templates x 2 endpoints, 64 in flight.

The stub answers over real HTTP after a second, and spoils some answers: 5 % 429 with Retry-After, 3 % 500, 2
% without any answer, 5 % garbage. Workers, beat, PostgreSQL and Redis are real. The ideal time is what 64
processes need without a pause between attempts: the sum of all latencies, with the whole time-out for an
attempt that timed out, divided by 64.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

from benchmarks import site
from benchmarks.hands import SiteProcess, Stub
from benchmarks.lines import Line, line

BENCH = "batch"
STORIES, PARALLEL = 436, 64
LATENCY, TIMEOUT, RETRY_AFTER = 1.0, 3, 1
RATES = {"429": 0.05, "500": 0.03, "hang": 0.02, "garbage": 0.05}
LLM_WORKERS = ("llm-worker", "llm-worker-2", "llm-worker-3", "llm-worker-4")
MOST_TIMES_IDEAL = 1.3
GIVE_UP = 180.0
SETTINGS = {"PARABLE_LLM_ALLOW_PRIVATE": "127.0.0.1", "PARABLE_LLM_WORKERS": str(PARALLEL)}
SENTENCE = "A crow who had flown all day over a dry land found a tall jar with a little water at its foot. "
PROMPTS = {
    "Only the ending": "Here is a fable.\n\n{story}\n\nIts moral: {moral}\n\nWrite {n} wrong morals for it.",
    "A hasty reader": "{title}\n\n{story}\n\nWrite {n} morals that a hasty reader would take from it.",
}


def measure() -> Iterator[Line]:
    """Yield the figures of one batch, from its order to the last call."""
    site.start()
    with ExitStack() as running:
        stub = running.enter_context(Stub(latency=LATENCY, hang_seconds=60, seed=4, rates=RATES))
        for name in ("worker", "beat"):
            running.enter_context(SiteProcess(name, SETTINGS))
        workers = [running.enter_context(SiteProcess(name, SETTINGS)) for name in LLM_WORKERS]
        wait_for_workers()
        before = sum(worker.cpu_seconds() for worker in workers)
        batch = start_batch(stub, stories=STORIES)
        seconds = wait_for_end(batch.job_id)
        used = sum(worker.cpu_seconds() for worker in workers) - before
        yield from _lines(batch.job_id, seconds, stub)
        attempts = sum(stub.read("counts").values())
        yield line(BENCH, "all", "worker_cpu_per_attempt", round(used / attempts * 1000, 1), "ms")
        yield line(BENCH, "all", "load_average", round(os.getloadavg()[0], 1), "processes")


def start_batch(stub: Stub, *, stories: int, timeout: int = TIMEOUT, **changes: Any) -> Any:
    """Order a batch for a new project with so many stories, two prompts and two endpoints at the stub."""
    from django.test import override_settings

    from accounts.services import create_user, system_account
    from generation import services
    from jobs import hooks
    from jobs.services import create_endpoint
    from projects.models import Role
    from projects.services import create_project, set_roles

    slug = f"batch-{time.time_ns()}"
    system = system_account()
    actor = create_user(actor=system, username=slug, name="Mia Manager", password="a password of no use here")
    project = create_project(actor=system, slug=slug, name=slug, language="en", settings={})
    set_roles(actor=system, project=project, user=actor, roles=[Role.MANAGER])
    with override_settings(LLM_ALLOW_PRIVATE=frozenset({"127.0.0.1"})):
        endpoints = [
            create_endpoint(
                actor=actor,
                project=project,
                name=name,
                model=name,
                base_url=stub.base_url,
                parallel_calls=PARALLEL // 2,
                requests_per_minute=1_000_000,
                tokens_per_minute=2_000_000_000,
                timeout_seconds=timeout,
                price_in=Decimal(1),
                price_out=Decimal(2),
                parameters={"max_tokens": 400},
            )
            for name in ("first", "second")
        ]
    templates = [
        services.create_template(actor=actor, project=project, name=name, text=text)
        for name, text in PROMPTS.items()
    ]
    wanted = {
        "actor": actor,
        "project": project,
        "stories": [story.pk for story in _stories(actor, project, stories)],
        "templates": templates,
        "endpoints": endpoints,
        "budget": Decimal(1000),
    }
    batch = services.order_batch(**{**wanted, **changes})
    hooks.dispatch("generate", batch.job_id)
    return batch


def _stories(actor: Any, project: Any, count: int) -> list[Any]:
    from corpus.services import create_stories
    from parable.formats.records import StoryRecord

    new = [
        StoryRecord(
            id=f"crow-{number}",
            language="en",
            title=f"The crow and the jar {number}",
            text=SENTENCE * 5 + f"It was on day {number}.",
            moral="Patience finds a way.",
        )
        for number in range(count)
    ]
    return list(create_stories(actor=actor, project=project, wanted=new))


def wait_for_workers(patience: float = 60.0) -> None:
    """Wait until workers are running, as the time that they take to start is not measured."""
    from jobs.queries import worker_seen

    until = time.monotonic() + patience
    while not (worker_seen("llm") and worker_seen("default")):
        if time.monotonic() > until:
            raise TimeoutError("the workers do not start")
        time.sleep(0.2)


def wait_for_end(job_id: int, patience: float = GIVE_UP) -> float:
    """Return the seconds that the job took. Raise `TimeoutError` if it does not end in time."""
    from jobs.models import Job

    until = time.monotonic() + patience
    while time.monotonic() < until:
        job = Job.objects.get(pk=job_id)
        if job.finished_at:
            return (job.finished_at - job.created_at).total_seconds()
        time.sleep(0.2)
    raise TimeoutError("the batch does not come to its end")


def ideal_seconds(counts: Mapping[str, int], *, latency: float, timeout: float, parallel: int) -> float:
    """Return the time of the attempts that the stub counted, made `parallel` at a time without pauses."""
    answered = sum(counts.values()) - counts.get("hang", 0)
    return (answered * latency + counts.get("hang", 0) * timeout) / parallel


def outcome(job_id: int) -> Counter[str]:
    """Return the number of calls of the job in each state."""
    from jobs.models import Call

    return Counter(Call.objects.filter(job=job_id).values_list("state", flat=True))


def _lines(job_id: int, seconds: float, stub: Stub) -> Iterator[Line]:
    from jobs.models import Budget, Call

    states, counts = outcome(job_id), stub.read("counts")
    calls = STORIES * len(PROMPTS) * 2
    ideal = ideal_seconds(counts, latency=LATENCY, timeout=TIMEOUT, parallel=PARALLEL)
    final = states["done"] + states["refused"] + states["failed"]
    attempts = sum(Call.objects.filter(job=job_id).values_list("attempts", flat=True))
    yield line(BENCH, "all", "seconds", round(seconds, 1), "s", beside=round(ideal, 1))
    yield line(BENCH, "all", "times_ideal", round(seconds / ideal, 3), "times", most=MOST_TIMES_IDEAL)
    yield line(BENCH, "all", "final", final, "calls", least=calls)
    yield line(BENCH, "all", "failed", states["failed"], "calls")
    yield line(BENCH, "all", "lost", calls - final, "calls", most=0)
    yield line(BENCH, "all", "paid_twice", counts["ok"] - states["done"], "calls", most=0)
    yield line(BENCH, "all", "attempts_unknown", sum(counts.values()) - attempts, "attempts", most=0)
    yield line(BENCH, "all", "most_in_flight", stub.read("flight")["most"], "calls", most=PARALLEL)
    yield line(BENCH, "all", "held_at_the_end", float(Budget.objects.get(job=job_id).held), "money", most=0)
