"""What the tests of generation work on, and a worker that can be watched."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from accounts.services import system_account
from corpus.models import Story
from generation import services
from generation.models import Batch, PromptTemplate, Purpose
from jobs.models import Call, Endpoint, Job
from jobs.services import bind_key, create_endpoint, sweep_orphans, wake_calls
from parable.llm.stub import StubServer
from tests.factories import Cast, make_project, make_story

PROMPT = "Here is a fable.\n\n{story}\n\nIts moral: {moral}\n\nWrite {n} wrong morals for it."


@dataclass(frozen=True, slots=True)
class Started:
    """A batch whose calls are written: how many it makes, how many it need not make, and which go first."""

    batch: Batch
    calls: int
    already_asked: int
    waiting: list[int]


def start_batch(*, stories: list[Story], **wanted: Any) -> Started:
    """Order a batch and write its calls, as a worker does."""
    batch = services.order_batch(stories=[story.pk for story in stories], **wanted)
    waiting = services.prepare_batch(job_id=batch.job_id)
    batch = Batch.objects.get(pk=batch.pk)
    return Started(batch, batch.job.calls.count(), batch.already_asked, waiting)


@dataclass(frozen=True, slots=True)
class Bench:
    """A project that can ask a model."""

    cast: Cast
    stub: StubServer
    story: Story
    template: PromptTemplate
    endpoint: Endpoint

    def start(self, **changes: Any) -> Started:
        """A batch over the one story, or what `changes` say, with its calls written."""
        wanted = {
            "actor": self.cast.writer,
            "project": self.cast.project,
            "stories": [self.story],
            "templates": [self.template],
            "endpoints": [self.endpoint],
        }
        return start_batch(**{**wanted, **changes})

    def add_endpoint(self, name: str, model: str = "stub-ok", **details: Any) -> Endpoint:
        """Another endpoint at the stub."""
        return add_endpoint(self.cast, self.stub, name, model, **details)


def bind_variable(stub: StubServer, variable: str = "PARABLE_LLM_KEY_TEST") -> None:
    """Let the key in this variable be sent to the stub."""
    bind_key(actor=system_account(), variable=variable, address=stub.base_url)


def add_endpoint(cast: Cast, stub: StubServer, name: str, model: str = "stub-ok", **details: Any) -> Endpoint:
    """An endpoint at the stub; the model's name says how it behaves."""
    return create_endpoint(
        actor=cast.manager,
        project=cast.project,
        name=name,
        model=model,
        **{"base_url": stub.base_url, "timeout_seconds": 5, "requests_per_minute": 1000, **details},
    )


def make_bench(stub: StubServer, language: str = "en") -> Bench:
    """A project with a story, a template and an endpoint at the stub."""
    cast = make_project(language)
    template = services.create_template(
        actor=cast.writer, project=cast.project, name="Only the ending", text=PROMPT, wanted=3
    )
    return Bench(cast, stub, make_story(cast), template, add_endpoint(cast, stub, "stub"))


def wording_template(bench: Bench) -> PromptTemplate:
    """A template that asks for other wordings of the moral."""
    return services.create_template(
        actor=bench.cast.writer,
        project=bench.cast.project,
        name="Say it again",
        text="{story} {moral} Give {n} other morals.",
        purpose=Purpose.MORAL_WORDINGS,
    )


def work_off(waiting: Iterable[int], *, patience: float = 60.0) -> None:
    """Do what a worker does with these calls and those that follow, one after the other."""
    queue, give_up = deque(waiting), time.monotonic() + patience
    while queue:
        assert time.monotonic() < give_up, "the calls do not come to an end"
        call_id = queue.popleft()
        ran = services.run_call(call_id=call_id)
        if ran.again_in is not None:
            time.sleep(min(ran.again_in, 0.2))
            queue.append(call_id)
        if ran.job_id is not None:
            queue.extend(wake_calls(job_id=ran.job_id))


def sweep_and_work() -> None:
    """What beat and a worker do after something was lost."""
    for _kind, waiting in sweep_orphans():
        work_off(waiting)


def states(job: Job) -> list[str]:
    """The states of a job's calls, sorted."""
    return sorted(Call.objects.filter(job=job).values_list("state", flat=True))
