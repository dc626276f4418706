"""Two machines with web and workers, and a third with PostgreSQL's pooler, Redis and the store of files.

The journey goes over both. Then one of them loses its power under load, and then the third loses its network.
Nothing that was acknowledged is lost, and nothing is there twice.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import httpx2
import pytest
from django.db import connection
from parable_client import Problem, Project, Unreachable
from parable_client import Site as Remote

from accounts.models import User
from annotation.content import to_json
from annotation.models import Item
from config.local.redis_server import server_program
from evaluation.models import Run
from jobs.models import Job, JobState
from projects.services import create_token
from release.models import Release, ReleaseState
from review.models import Review
from tests.clients.made import items
from tests.config.programs import free_port, wait_until
from tests.drills.machines import Machine, Network, why_not
from tests.factories import Cast, content, make_project, make_story
from tests.object_store import answers, make_bucket, object_server, store_settings

pytestmark = [
    pytest.mark.drill,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not shutil.which("pgbouncer"), reason="there is no pgbouncer here"),
]

CUT_SECONDS: Final = 30.0
LOAD_SECONDS: Final = 3.0
PATIENCE: Final = 120.0
SCOPES: Final = ["read", "write", "review", "manage"]
ALLOWED: Final[dict[str, Any]] = {"allow": ["rights"], "reason": "A drill.", "seed": "7"}
POOLER: Final = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = {address}
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 30
max_client_conn = 400
"""


@contextmanager
def _servers(network: Network, folder: Path) -> Iterator[dict[str, str]]:
    """Run pooler, Redis and the store of files on the third machine; yield the settings of a site."""
    address, within = network.address("c"), network.within("c")
    parts, database, queue = connection.settings_dict, free_port(), free_port()
    said = {"host": parts["HOST"], "port": parts["PORT"] or 5432, "user": parts["USER"]}
    for one in (*folder.parents, folder):
        if str(one).startswith("/tmp/"):  # noqa: S108 - pytest's own folders, which nobody may not enter
            one.chmod(one.stat().st_mode | 0o755)
    file = folder / "pgbouncer.ini"
    file.write_text(POOLER.format(**said, address=address, listen=database), encoding="utf-8")
    pooler = [*within, "pgbouncer", "--quiet", "--user=nobody", str(file)]
    redis = [*within, str(server_program()), "--bind", address, "--port", str(queue)]
    redis += ["--save", "", "--protected-mode", "no", "--dir", str(folder)]
    with ExitStack() as stack:
        for command in (pooler, redis):
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            stack.callback(process.terminate)
        store = stack.enter_context(object_server(address, within))
        make_bucket(store, "fables")
        yield {
            "DATABASE_URL": f"postgres://{parts['USER']}@{address}:{database}/{parts['NAME']}",
            "DATABASE_OWNER_URL": os.environ["DATABASE_URL"],
            "REDIS_URL": f"redis://{address}:{queue}/0",
            "PARABLE_POOLER": "True",
            "PARABLE_ALLOWED_HOSTS": ",".join(network.address(name) for name in "ab"),
            "PARABLE_API_REQUESTS": "10000",
            "PARABLE_WEB_WORKERS": "1",
            "PARABLE_WORKERS": "1",
            **store_settings(store, "fables", PARABLE_S3_SECONDS="5"),
        }


@dataclass
class Person:
    """A member with a program, which sends each request to one machine, and to the other if that fails."""

    user: User
    slug: str
    urls: Sequence[str]
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        token = create_token(actor=self.user, name="drill", scopes=SCOPES, days=1).text
        self._sites = [Remote(url, token, tries=1, client=httpx2.Client(timeout=10)) for url in self.urls]
        self._turns = itertools.count()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for site in self._sites:
            site.http.close()

    def at(self, machine: int) -> Project:
        """The project at one machine."""
        return self._sites[machine].project(self.slug)

    def post(self, path: str, body: Any, *, until: float) -> Any:
        """Send one request, as often as it takes, to the one or the other; raise TimeoutError in the end."""
        key, path = str(uuid.uuid4()), f"projects/{self.slug}/{path}"
        while time.monotonic() < until:
            try:
                return self.at(next(self._turns) % len(self.urls)).http.send("POST", path, body, key=key)
            except Unreachable:
                time.sleep(0.1)
            except Problem as refused:
                if refused.status < 500:
                    self.faults.append(f"{path}: {refused.status} {refused}")
                    raise
                time.sleep(0.2)
        raise TimeoutError(path)


class Load:
    """Writers and a reviewer who go on whatever happens, and note what was acknowledged."""

    def __init__(self, writers: Sequence[Person], reviewer: Person, story: int) -> None:
        self._people = [*writers, reviewer]
        self._story, self._over = story, threading.Event()
        self.written: list[str] = []
        self.judged: list[str] = []
        work: list[Callable[[], None]] = [*(self._writing(one) for one in writers), self._reviewing(reviewer)]
        self._threads = [threading.Thread(target=one, daemon=True) for one in work]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in self._threads)

    def goes_on(self) -> None:
        """Wait until both kinds of work are acknowledged again."""
        written, judged = len(self.written), len(self.judged)
        wait_until(lambda: len(self.written) > written + 2 and len(self.judged) > judged, PATIENCE)

    def faults(self) -> list[str]:
        """What was refused, though it was right."""
        return [fault for person in self._people for fault in person.faults]

    def _writing(self, person: Person) -> Callable[[], None]:
        def write() -> None:
            while not self._over.is_set():
                stem = f"Load {uuid.uuid4()}?"
                body = {"story": self._story, "task": "commonsense", "style": "human"}
                sent = {**body, "content": to_json(content(stem))}
                person.post("items/", sent, until=time.monotonic() + PATIENCE)
                self.written.append(stem)

        return write

    def _reviewing(self, person: Person) -> Callable[[], None]:
        def review() -> None:
            while not self._over.is_set():
                until = time.monotonic() + PATIENCE
                claimed = person.post("queue/cross_check/claim/", {}, until=until)
                if claimed is None:
                    time.sleep(0.2)
                    continue
                place = f"requests/{claimed['id']}/"
                person.post(f"{place}answer/", {"answer": "option", "position": 0}, until=until)
                person.post(f"{place}verdict/", {"disposition": "pass", "rating": 2}, until=until)
                self.judged.append(claimed["id"])

        return review


def _review_all(people: Sequence[Person], stage: str) -> int:
    """Let each judge what waits for them, at the machines in turn; how many looks it took."""
    done = 0
    for person in people:
        for turn in itertools.count():
            project = person.at(turn % 2)
            claimed = project.claim(stage)
            if claimed is None:
                break
            known = {one["question"]: one["choices"][one["answer"]] for one in items()}
            right = [option == known[claimed["item"]["stem"]] for option in claimed["item"]["options"]]
            other = person.at((turn + 1) % 2)
            other.answer(claimed["id"], answer="option", position=right.index(True))
            project.verdict(claimed["id"], "pass", rating=2)
            done += 1
    return done


def _is_whole(folder: Path) -> bool:
    sums = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = dict(line.split("  ")[::-1] for line in sums)
    return all(
        hashlib.sha256((folder / name).read_bytes()).hexdigest() == sha256 for name, sha256 in listed.items()
    )


def _content_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _journey(manager: Person, reviewer: Person, verifier: Person, folder: Path) -> None:
    """From stories to results: each step at another machine."""
    first, second = manager.at(0), manager.at(1)
    made = items()
    unseen = [one for one in made[-7:] if one["task"] == "commonsense"]
    first.add_items([one for one in made if one not in unseen], state="verified")
    second.add_items(unseen, state="in_review")
    assert _review_all([reviewer], "cross_check") == len(unseen) == 4
    assert _review_all([verifier], "verification") == 4
    release = first.build_release("1.0.0", **ALLOWED)
    for machine, project in (("a", first), ("b", second)):
        project.release("1.0.0").download(folder / machine)
    assert _is_whole(folder / "a")
    assert _content_of(folder / "a") == _content_of(folder / "b")
    asked = map(json.loads, (folder / "a" / "test" / "moral.jsonl").read_text(encoding="utf-8").splitlines())
    file = folder / "answers.jsonl"
    file.write_text(
        "".join(json.dumps({"model": "a", "item_id": one["id"], "text": "A"}) + "\n" for one in asked)
    )
    brought = second.release("1.0.0").import_responses(file)
    assert len(brought["runs"]) == Run.objects.count() == 1
    assert release.row()["state"] == ReleaseState.READY


def _nothing_is_lost_or_twice(load: Load) -> None:
    stems = Counter(
        Item.objects.filter(current__stem__startswith="Load ").values_list("current__stem", flat=True)
    )
    assert load.written
    assert not set(load.written) - set(stems), "lost"
    assert max(stems.values()) == 1, "twice"
    judged = Counter(
        str(key)
        for key in Review.objects.exclude(judged_at=None).values_list("request__public_id", flat=True)
    )
    assert load.judged
    assert not set(load.judged) - set(judged), "lost"
    assert max(judged.values()) == 1, "twice"
    assert load.faults() == []


def test_two_machines_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(reason)
    cast: Cast = make_project(reviews_per_item=1)
    began = time.monotonic()

    def say(what: str) -> None:
        print(f"{time.monotonic() - began:5.1f} s  {what}")

    with ExitStack() as stack:
        network = stack.enter_context(Network("a", "b", "c"))
        settings = stack.enter_context(_servers(network, tmp_path))
        say("servers run")
        a, b = (stack.enter_context(Machine(network, name, tmp_path, settings)) for name in "ab")
        urls = (a.url, b.url)
        for url in urls:
            wait_until(lambda url=url: answers(f"{url}/readyz"), PATIENCE)  # type: ignore[misc]
        say("both machines are ready")
        person = {
            name: stack.enter_context(Person(getattr(cast, name), cast.project.slug, urls))
            for name in ("manager", "writer", "writer2", "reviewer", "reviewer2", "verifier")
        }
        _journey(person["manager"], person["reviewer"], person["verifier"], tmp_path / "release")
        for machine in (a, b):
            assert not [path for path in machine.home.glob("releases/**/*") if path.is_file()]
        say("journey is done")

        story = make_story(cast).pk
        load = Load([person["writer"], person["writer2"]], person["reviewer2"], story)
        with load:
            load.goes_on()
            person["manager"].post("releases/", {"version": "1.1.0", **ALLOWED}, until=time.monotonic() + 60)
            a.lose_power()
            say(f"a lost its power after {len(load.written)} items")
            time.sleep(LOAD_SECONDS)
            load.goes_on()
            say(f"b goes on alone: {len(load.written)} items")
            a.__enter__()
            wait_until(lambda: answers(f"{a.url}/readyz"), PATIENCE)
            say("a is back")
            network.pull("c")
            time.sleep(CUT_SECONDS)
            network.plug("c")
            say(f"c is back after {CUT_SECONDS:.0f} s: {len(load.written)} items")
            load.goes_on()
            say(f"work goes on: {len(load.written)} items, {len(load.judged)} verdicts")
        open_jobs = Job.objects.filter(state__in=[JobState.PENDING, JobState.RUNNING])
        wait_until(lambda: not open_jobs.exists(), 180)
        say("all jobs have ended")
        assert not Job.objects.exclude(state=JobState.DONE).exists()
        _nothing_is_lost_or_twice(load)
        assert Counter(Release.objects.values_list("version", "state")) == {
            ("1.0.0", ReleaseState.READY): 1,
            ("1.1.0", ReleaseState.READY): 1,
        }
