"""How many source files one verdict, import, reply and build pass: the cost of reading what happens.

Run with `-s` to see the figures; `python scripts/house.py --flows` prints them beside the other measures.
"""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item
from evaluation import services
from parable.llm.stub import StubServer
from release.models import ReleaseState
from release.services import finish_release, order_release
from tests.annotation.test_import_pages import confirm, upload
from tests.evaluation.measuring import bench_of, make_release
from tests.factories import PASSWORD, Cast, make_project, submit_item
from tests.parable.hostile_files import crmus
from tests.passing import Passage, passage
from tests.release.made import ALLOWED, bring, records

pytestmark = pytest.mark.django_db

MOST = {"verdict": 32, "preview": 90, "import": 87, "reply": 36, "build": 116}
"""Source files that each may pass, three of which count and trace what happens.

A new format is one file more for a preview of a file of its content.
"""


def _held(name: str, passed: Passage) -> None:
    print(f"\nflow {name}: {len(passed.files)} files, {passed.switches} switches")
    assert len(passed.files) <= MOST[name], sorted(passed.files)


def test_a_verdict_passes_few_files(cast: Cast) -> None:
    client = Client()
    client.login(username=cast.reviewer.username, password=PASSWORD)
    for _ in range(3):
        submit_item(cast)
    for _ in range(2):  # the first time, templates and addresses are loaded
        address = client.post(reverse("review:claim", args=[cast.project.slug])).headers["Location"]
        client.post(f"{address}/answer", {"position": 1})
        with passage() as passed:
            done = client.post(f"{address}/verdict", {"rating": 2, "disposition": "pass"})
        assert done.status_code == 302, done.content.decode()
    _held("verdict", passed)


@pytest.fixture
def client(cast: Cast) -> Client:
    """A browser of a manager."""
    client = Client()
    assert client.login(username=cast.manager.username, password=PASSWORD)
    return client


def test_an_import_passes_few_files(cast: Cast, client: Client) -> None:
    asked = upload(client, cast, ("dev_CR.json", crmus()))
    with passage() as passed:
        asked = upload(client, cast, ("dev_CR.json", crmus()))
    _held("preview", passed)
    with passage() as passed:
        confirm(client, cast, asked)
    _held("import", passed)
    assert Item.objects.filter(project=cast.project).count() > 1


def test_a_reply_passes_few_files(stub: StubServer) -> None:
    bench = bench_of(*make_release(), stub)
    bench.ran()
    run = bench.order()
    prepared = list(services.prepare_run(run_id=run.pk))
    with passage() as passed:
        services.run_call(call_id=prepared[0])
    _held("reply", passed)


def test_a_build_passes_few_files() -> None:
    cast = make_project()
    bring(cast, records())
    release = order_release(
        actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED
    )
    with passage() as passed:
        finish_release(release_id=release.pk)
    release.refresh_from_db()
    assert release.state == ReleaseState.READY
    _held("build", passed)
