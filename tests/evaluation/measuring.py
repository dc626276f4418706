"""What the tests of measuring work on: a small release, a model, and a worker that can be watched."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.test import Client

from accounts.models import User
from evaluation import services
from evaluation.models import FileState, Run
from evaluation.queries.run import Asking, default_prompt
from jobs.models import Endpoint
from jobs.services import create_endpoint, wake_calls
from parable.llm.stub import StubServer
from release.models import Release
from tests.factories import PASSWORD, Cast, make_project
from tests.release.made import bring, built, grant_rights, records

ITEMS = 21
"""Of three stories: four commonsense and three moral items each."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A project with a release that is ready, and a model that can answer it."""

    cast: Cast
    stub: StubServer
    release: Release
    endpoint: Endpoint

    def asking(self, **changes: Any) -> Asking:
        """What a run asks: everything, once, as released, or what `changes` say."""
        wanted: dict[str, Any] = {"release": self.release, "prompt": default_prompt(self.cast.project)}
        return Asking(**(wanted | changes))

    def order(self, endpoint: Endpoint | None = None, **changes: Any) -> Run:
        """A run that is ordered, and not yet prepared."""
        asked = self.asking(**{name: value for name, value in changes.items() if name != "budget"})
        return services.start_runs(
            actor=self.cast.manager,
            asking=asked,
            endpoints=[endpoint or self.endpoint],
            budget=changes.get("budget"),
        )[0]

    def ran(self, endpoint: Endpoint | None = None, **changes: Any) -> Run:
        """A run that has been answered."""
        run = self.order(endpoint, **changes)
        work_off(services.prepare_run(run_id=run.pk))
        return Run.objects.select_related("job", "examinee", "release__project").get(pk=run.pk)

    def model(self, name: str) -> Endpoint:
        """Another model at the stub; its name says how it behaves."""
        return add_model(self.cast, self.stub, name)


def add_model(cast: Cast, stub: StubServer, name: str) -> Endpoint:
    return create_endpoint(
        actor=cast.manager,
        project=cast.project,
        name=name,
        model=name,
        base_url=stub.base_url,
        timeout_seconds=5,
        requests_per_minute=1_000_000,
        tokens_per_minute=100_000_000,
        parameters={"max_tokens": 10},
    )


def brought(release: Release, actor: User, data: bytes, name: str = "answers.jsonl") -> list[Run]:
    """The runs that come of a file of responses, once a worker has read it."""
    file = services.order_import(actor=actor, release=release, name=name, data=data)
    read = services.read_file(file_id=file.pk)
    assert read.state == FileState.DONE, read.problems
    return list(Run.objects.filter(file=read).select_related("examinee", "job", "release").order_by("pk"))


def make_bench(stub: StubServer, language: str = "en") -> Bench:
    return bench_of(*make_release(language), stub)


def make_release(language: str = "en") -> tuple[Cast, Release]:
    cast = make_project(language)
    bring(cast, records(3))
    grant_rights(cast)
    return cast, built(cast)


def bench_of(cast: Cast, release: Release, stub: StubServer) -> Bench:
    return Bench(cast, stub, release, add_model(cast, stub, "stub-letter"))


def work_off(waiting: Iterable[int]) -> int:
    """Do what workers do, one call after the other; answers how many were run. Waits for nothing."""
    due, ran = deque(waiting), 0
    while due:
        came = services.run_call(call_id=due.popleft())
        ran += 1
        if came.again_in is not None:
            due.append(came.call_id)
        if came.job_id is not None:
            due.extend(wake_calls(job_id=came.job_id))
    return ran


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    return client
