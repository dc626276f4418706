"""A program woken by webhooks of a site that is killed for a minute: nothing missed, nothing done twice."""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from parable_client import Project, Unreachable
from parable_client import Site as Remote

from benchmarks.batch import wait_for_workers
from benchmarks.hands import Stub
from config.processes import RECORD
from events.models import Delivery, DeliveryState, Event
from generation.models import Batch
from generation.services import create_template
from jobs.models import Call, CallState
from jobs.services import allow_host
from projects.services import create_token
from release.models import Release, ReleaseState
from tests.clients.made import items
from tests.config.programs import wait_until
from tests.drills.demo import page
from tests.drills.proxy import Proxy
from tests.drills.site import Site, database_address, redis_address, settings_through
from tests.events.receiver import Receiver, receiving
from tests.factories import make_project, make_user

pytestmark = [pytest.mark.drill, pytest.mark.django_db(transaction=True)]

WOKEN_BY: Final = ("stories.imported", "batch.finished", "items.imported", "release.ready")
DOWN_SECONDS: Final = 60.0


@dataclass
class Bot:
    """A program that a webhook wakes: it asks models about new stories, and releases the items that came."""

    project: Project
    prompt: int
    endpoint: int
    woken: queue.SimpleQueue[Mapping[str, Any] | None] = field(default_factory=queue.SimpleQueue)
    waited: int = 0
    failed: list[Exception] = field(default_factory=list)
    may_work: threading.Event = field(default_factory=threading.Event)

    def work(self) -> None:
        """Do what each event asks for, however long the site is away."""
        try:
            while event := self.woken.get():
                self.may_work.wait()
                self._act_on(event)
                self._act_on(event)  # as if it had come twice
        except Exception as error:  # noqa: BLE001 - the test raises it
            self.failed.append(error)

    def _act_on(self, event: Mapping[str, Any]) -> None:
        while True:
            try:
                return self._act_once(event)
            except Unreachable:
                self.waited += 1

    def _act_once(self, event: Mapping[str, Any]) -> None:
        key, about = f"event_{event['id']}", event["data"]
        if event["type"] == "stories.imported":
            stories = [one["id"] for one in self.project.stories()]
            new = [pk for pk in stories if about["first"] <= pk <= about["last"]]
            self.project.start(
                "batches", key=key, stories=new, prompts=[self.prompt], endpoints=[self.endpoint]
            )
        if event["type"] == "items.imported":
            said: dict[str, Any] = {"allow": ["rights"], "reason": "A drill.", "seed": "7"}
            self.project.build_release(f"1.{event['id']}.0", key=key, wait=False, **said)


@dataclass
class Scene:
    """A site, the program that it wakes, what it was sent, and the model that it asks."""

    site: Site
    bot: Bot
    receiver: Receiver
    stub: Stub

    def has(self, kind: str, count: int) -> None:
        """Wait until so many events of this kind were taken, or the program has failed."""
        wait_until(
            lambda: (
                bool(self.bot.failed) or sum(one["type"] == kind for one in self.events().values()) >= count
            ),
            180,
        )
        for error in self.bot.failed:
            raise error

    def events(self) -> dict[int, dict[str, Any]]:
        """The events that were taken, by id, in the order of their first arrival."""
        found: dict[int, dict[str, Any]] = {}
        for event in list(self.receiver.accepted):
            found.setdefault(event["id"], event)
        return found

    def kill(self) -> None:
        """Kill the supervisor and all that it started, as a machine does that loses its power."""
        children = json.loads((self.site.home / RECORD).read_text(encoding="utf-8"))["children"]
        os.kill(self.site.process.pid, signal.SIGKILL)
        self.site.process.wait(60)
        for pid in map(int, children):
            os.killpg(pid, signal.SIGKILL)


@contextmanager
def _scene(home: Path) -> Iterator[Scene]:
    cast = make_project()
    template = create_template(
        actor=cast.manager,
        project=cast.project,
        name="Morals",
        text="{story}\n\nWrite {n} wrong morals.",
        wanted=3,
    )
    token = create_token(
        actor=cast.manager, name="bot", scopes=["read", "write", "review", "manage"], days=1
    ).text
    with ExitStack() as stack:
        ports = [stack.enter_context(Proxy(one)).port for one in (database_address(), redis_address()[0])]
        settings = settings_through(*ports) | {"PARABLE_LLM_WORKERS": "4"}
        receiver = stack.enter_context(receiving(Receiver()))
        stub = stack.enter_context(Stub(latency=0.3, hang_seconds=60, seed=5, rates={}))
        allow_host(actor=make_user("Ada", administrator=True), address=receiver.url)
        site = stack.enter_context(Site(home, settings))
        wait_for_workers(120)
        wait_until(lambda: bool(page(site.port)), 120)
        remote = stack.enter_context(Remote(f"http://127.0.0.1:{site.port}", token, tries=3))
        project = remote.project(cast.project.slug)
        endpoint = project.start(
            "endpoints", name="stub", model="stub-ok", base_url=stub.base_url, requests_per_minute=1000
        )
        project.start("webhooks", url=receiver.url, types=WOKEN_BY)
        bot = Bot(project, template.pk, endpoint["id"])
        receiver.answer = lambda event: bot.woken.put(event) or 204  # type: ignore[func-returns-value]
        working = threading.Thread(target=bot.work, daemon=True)
        bot.may_work.set()
        working.start()
        yield Scene(site, bot, receiver, stub)
        bot.woken.put(None)
        working.join(60)


def _stories(first: int, count: int) -> list[dict[str, Any]]:
    return [
        {"id": f"new-{number}", "title": f"Tale {number}", "text": f"Crow {number} met hare {number * 7}."}
        for number in range(first, first + count)
    ]


def test_it_starts_batches_and_a_release_though_the_site_is_away_for_a_minute(tmp_path: Path) -> None:
    with _scene(tmp_path / "var") as scene:
        project = scene.bot.project
        project.add_stories(_stories(0, 10))
        scene.has("batch.finished", 1)
        scene.bot.may_work.clear()
        project.add_stories(_stories(10, 10))
        scene.has("stories.imported", 2)
        # killed as soon as all is acknowledged: some events are not sent yet, another is not acted on
        project.add_items(items(), state="verified")
        scene.kill()
        scene.bot.may_work.set()
        time.sleep(DOWN_SECONDS)
        scene.site.__enter__()
        scene.has("release.ready", 1)
        scene.has("batch.finished", 3)
        published = Event.objects.filter(kind__in=WOKEN_BY)
        wait_until(lambda: not published.filter(position=None).exists(), 60)
        wait_until(lambda: set(published.values_list("position", flat=True)) == set(scene.events()), 60)
        wait_until(lambda: not Delivery.objects.exclude(state=DeliveryState.DELIVERED).exists(), 60)
        said = scene.stub.read("log")
        assert scene.bot.waited > 1, "it asked while the site was away"
    taken = scene.events()
    about: dict[tuple[str, int], list[int]] = {}
    for number, event in taken.items():
        about.setdefault((event["object"]["type"], event["object"]["id"]), []).append(number)
    assert all(numbers == sorted(numbers) for numbers in about.values()), "in order for an object"
    kinds = [event["type"] for event in taken.values()]
    assert {kind: kinds.count(kind) for kind in WOKEN_BY} == {
        "stories.imported": 3,  # two of stories, one that came with the items
        "batch.finished": 3,
        "items.imported": 1,
        "release.ready": 1,
    }
    assert Batch.objects.count() == 3
    assert [release.state for release in Release.objects.all()] == [ReleaseState.READY]
    calls = Call.objects.filter(state=CallState.DONE).count()
    assert calls == Call.objects.count() == 26
    assert calls <= len(said) <= calls + 4, "asked again only what was out when it was killed"
    for message in scene.receiver.messages:
        assert message.headers["webhook-id"] == f"event_{message.event['id']}"
    print(f"{len(scene.receiver.messages)} deliveries of {len(taken)} events; {scene.bot.waited} waits")
