"""A release sent to a hub from its page: what the hub receives, who may, each failure, and the token."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoDbBlocker, Settings

from accounts.models import AuditEvent
from core.errors import Forbidden
from jobs.errors import FAULT, LOST_WORKERS, NOT_SENT, OUT_OF_MEMORY
from jobs.models import MOST_LOSSES, Job, JobState
from parable.commands.push import Release as ReleaseFiles
from parable.commands.push import whole_release
from parable.formats.records import WITHHELD
from projects.models import Role
from projects.services import set_roles
from release.models import Push, PushState, Release
from release.queries.file import stored_at
from release.queries.push import PUSH
from release.queries.release import artifacts, withheld_answers
from release.services import order_push, push, send_push, withdraw_release
from tests.everywhere import dumped, every_row, redis_values
from tests.factories import Cast, make_project, make_user
from tests.hub_server import LARGE, RIGHT, Hub, hub_server
from tests.projects.pages import answers, browser, only_managers
from tests.release.conftest import Released
from tests.release.made import ALLOWED, bring, built, records
from tests.shared_rows import shared_rows
from tests.work import do_work

pytestmark = [
    pytest.mark.django_db,
    # huggingface_hub gives its HTTP client a file in a way that this client discourages
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),
]

REPO = "lab/fables"
DUMPED = ("release.push", "jobs", "accounts")
TOKEN = "hf_9f8e7d6c5b4a3f2e1d0cOnlyTheHubKnows"


def _with_withheld() -> Released:
    cast = make_project()
    bring(cast, records())
    return cast, built(cast, seed=None, recipe=replace(ALLOWED, withhold_test=True))


@pytest.fixture(scope="module")
def _withheld(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Released]:
    with shared_rows(django_db_blocker, _with_withheld) as made:
        yield made


@pytest.fixture
def withheld(_withheld: Released, db: None) -> Released:
    """A project and its version 1.0.0, whose test answers are withheld."""
    return deepcopy(_withheld)


@pytest.fixture
def cast(withheld: Released) -> Cast:
    return withheld[0]


@pytest.fixture
def release(withheld: Released) -> Release:
    return withheld[1]


@pytest.fixture
def hub(settings: Settings) -> Iterator[Hub]:
    with hub_server(Hub(accepted=TOKEN)) as served:
        settings.HUB_URL = served.address
        yield served


def page_of(release: Release) -> str:
    return reverse("release:push", args=[release.project.slug, release.version])


def post(cast: Cast, release: Release, **fields: str) -> Any:
    data = {"repo": REPO, "token": TOKEN, **fields}
    return browser(cast.manager).post(page_of(release), data, follow=True)


def sent(cast: Cast, release: Release, **fields: str) -> Push:
    """What became of a push that was ordered on the page and done by a worker."""
    answer = post(cast, release, **fields)
    assert answer.status_code == 200, answer.content.decode()
    ordered = Push.objects.latest("pk")
    do_work(PUSH, ordered.pk)
    ordered.refresh_from_db()
    return ordered


def seen(cast: Cast, release: Release) -> str:
    return str(browser(cast.manager).get(page_of(release)).content.decode())


def files_of(release: Release) -> dict[str, bytes]:
    return {one.name: stored_at(one.sha256).read_bytes() for one in artifacts(release)}


# --- what is sent ---


def test_the_page_shows_each_file_and_asks_the_hub_nothing(cast: Cast, release: Release, hub: Hub) -> None:
    text = seen(cast, release)
    files = files_of(release)
    assert all(f">{name}<" in text for name in files)
    assert f"{len(files)} files, {sum(map(len, files.values())) / 1024:.1f}" in text.replace("\xa0", " ")
    assert hub.address in text
    assert "Everyone can see a public data set" in text
    assert "withheld test answers are not sent" in text
    assert hub.asked == []


def test_the_hub_receives_each_file_byte_for_byte_and_no_withheld_answer(
    cast: Cast, release: Release, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = list[Path]()

    def beside(folder: Path) -> ReleaseFiles:
        (folder / "test-answers.jsonl").write_text('{"secret": 1}', encoding="utf-8")
        folders.append(folder)
        return whole_release(folder)

    monkeypatch.setattr("release.services.push.whole_release", beside)
    done = sent(cast, release)
    assert done.state == PushState.DONE, done.refusal
    [commit] = hub.commits
    assert commit == files_of(release)
    assert {"MANIFEST.json", "SHA256SUMS", "README.md"} <= set(commit)
    assert any(len(data) >= LARGE for data in commit.values())
    assert hub.objects
    explained = [one["explanation"] for one in withheld_answers(release) if one["explanation"]]
    tests = b"".join(data for name, data in commit.items() if name.startswith("test/"))
    assert explained
    assert tests
    assert {json.loads(line)["answer"] for line in tests.splitlines()} == {WITHHELD}
    assert not any(str(one).encode() in tests for one in explained)
    assert (hub.visibility, hub.summaries, hub.tags) == (
        {REPO: "private"}, ["Release 1.0.0"], {"1.0.0": f"{1:040x}"}
    )  # fmt: skip
    assert not any(folder.exists() for folder in folders)
    text = seen(cast, release)
    assert f'href="{hub.address}/datasets/{REPO}/commit/{1:040x}"' in text
    assert cast.manager.name in text
    event = AuditEvent.objects.get(verb="push_release", subject_id=release.pk)
    assert event.detail == {"version": "1.0.0", "hub": hub.address, "repo": REPO, "public": False}
    assert (Job.objects.get(kind=PUSH).state, Job.objects.get(kind=PUSH).title) == (
        JobState.DONE, f"Push of 1.0.0 to {REPO}"
    )  # fmt: skip


def test_a_new_data_set_is_public_only_if_it_is_asked_for(cast: Cast, release: Release, hub: Hub) -> None:
    assert sent(cast, release, is_public="on").state == PushState.DONE
    assert hub.visibility == {REPO: "public"}
    assert " checked" not in seen(cast, release).partition('name="is_public"')[2].partition(">")[0]


def test_a_push_done_twice_by_workers_is_one(cast: Cast, release: Release, hub: Hub) -> None:
    done = sent(cast, release)
    assert send_push(push_id=done.pk).state == PushState.DONE
    assert len(hub.commits) == 1


@pytest.mark.parametrize("given", ["javascript:alert(1)", "https://evil.example/datasets/lab/fables"])
def test_it_links_to_the_hub_alone(
    cast: Cast, release: Release, hub: Hub, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setattr(push, "send_release", lambda *_release, **_more: given)
    assert sent(cast, release).address == f"{hub.address}/datasets/{REPO}"


# --- what fails ---


@pytest.mark.parametrize(
    ("part", "status", "english", "chinese"),
    [
        ("", 401, "The hub does not accept the token. Use one that may write.", "平台不接受此令牌"),
        ("/repos/create", 403, "may not write to lab/fables", "无权写入 lab/fables"),
        ("/preupload/", 404, "has no lab/fables", "lab/fables"),
        ("/commit/", 413, "refuses files of this size", "平台"),
        ("/upload/", 413, "refuses files of this size", "平台"),
        ("/repos/create", 400, "The hub refuses (400)", "400"),
    ],
)
def test_each_refusal_of_the_hub_is_said_in_words(
    cast: Cast, release: Release, hub: Hub, part: str, status: int, english: str, chinese: str
) -> None:
    hub.fails, hub.accepted = ({part: status}, TOKEN) if part else ({}, RIGHT)
    failed = sent(cast, release)
    assert (failed.state, failed.sealed, failed.address, hub.commits) == (PushState.FAILED, "", "", [])
    assert english in seen(cast, release)
    client = browser(cast.manager)
    text = client.get(page_of(release), headers={"accept-language": "zh-hans"}).content.decode()
    assert chinese in text
    job = Job.objects.get(kind=PUSH)
    assert (job.state, job.reason) == (JobState.FAILED, NOT_SENT)
    assert 'value="lab/fables"' in seen(cast, release), "the next try begins with the same name"


def test_a_hub_that_is_away_is_said_to_be(cast: Cast, release: Release, settings: Settings) -> None:
    settings.HUB_URL = "http://127.0.0.1:9"
    assert sent(cast, release).state == PushState.FAILED
    assert "The hub cannot be reached" in seen(cast, release)


def test_nothing_is_sent_if_a_stored_file_was_changed_or_is_gone(
    cast: Cast, release: Release, hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    card = artifacts(release).get(name="README.md").sha256
    for sha256 in artifacts(release).values_list("sha256", flat=True):
        (tmp_path / sha256).write_bytes(stored_at(sha256).read_bytes())
    monkeypatch.setattr(push, "stored_at", lambda sha256: tmp_path / sha256)
    (tmp_path / card).write_text("Another card.", encoding="utf-8")
    sent(cast, release)
    assert "Files differ from the manifest: README.md. Nothing was sent." in seen(cast, release)
    (tmp_path / card).unlink()
    sent(cast, release)
    assert "Files of the release are missing in 1.0.0: README.md. Nothing was sent." in seen(cast, release)
    assert hub.asked == []


def test_nothing_is_sent_of_a_release_that_was_withdrawn_meanwhile(
    cast: Cast, release: Release, hub: Hub
) -> None:
    post(cast, release)
    withdraw_release(actor=cast.manager, release=release, reason="Two keys are wrong.")
    do_work(PUSH, Push.objects.get().pk)
    text = seen(cast, release)
    assert "was withdrawn before it was sent" in text
    assert 'id="push"' not in text
    assert post(cast, release).status_code == 400
    assert hub.asked == []


@pytest.mark.parametrize("repo", ["fables", "lab/fables/more", "lab/", "https://evil.example/x", "a b/c"])
def test_it_refuses_what_is_no_name_of_a_data_set(cast: Cast, release: Release, hub: Hub, repo: str) -> None:
    answer = post(cast, release, repo=repo)
    assert answer.status_code == 400
    assert "Name the data set as OWNER/NAME" in answer.content.decode()
    assert not Push.objects.exists()


@pytest.mark.parametrize("token", ["", "  ", "two words", "hf_schlüssel", "hf_a\nX-Evil: 1", "k" * 501])
def test_it_refuses_what_is_no_token_without_repeating_it(
    cast: Cast, release: Release, hub: Hub, token: str
) -> None:
    answer = post(cast, release, token=token)
    assert answer.status_code == 400
    assert not token.strip() or token.strip() not in answer.content.decode()
    assert not Push.objects.exists()


def test_a_second_push_waits_for_the_first_in_words(cast: Cast, release: Release, hub: Hub) -> None:
    post(cast, release)
    text = seen(cast, release)
    assert 'id="push"' not in text
    assert 'hx-trigger="every 2s"' in text
    second = post(cast, release, repo="lab/others")
    assert second.status_code == 400
    assert "1.0.0 is being pushed to lab/fables" in second.content.decode()
    with pytest.raises(IntegrityError), transaction.atomic():
        Push.objects.create(release=release, hub=hub.address, repo="a/b", is_public=False,
                            created_by=cast.manager)  # fmt: skip
    polled = browser(cast.manager).get(page_of(release), headers={"HX-Request": "true"})
    assert "HX-Refresh" not in polled.headers
    do_work(PUSH, Push.objects.get().pk)
    polled = browser(cast.manager).get(page_of(release), headers={"HX-Request": "true"})
    assert polled.headers["HX-Refresh"] == "true"
    assert sent(cast, release, repo="lab/others").state == PushState.DONE


def test_a_site_may_send_to_no_hub(cast: Cast, release: Release, settings: Settings) -> None:
    settings.HUB_URL = ""
    assert "This site pushes to no hub" in seen(cast, release)
    assert 'id="push"' not in seen(cast, release)
    assert post(cast, release).status_code == 400
    settings.HUB_URL, settings.KEY_SECRETS = "https://hub.example", []
    assert "PARABLE_KEY_SECRETS" in seen(cast, release)
    assert post(cast, release).status_code == 400
    assert not Push.objects.exists()


# --- who may ---


def test_managers_alone_send_and_are_offered_it(cast: Cast, release: Release, hub: Hub) -> None:
    where, detail = page_of(release), reverse("release:detail", args=[cast.project.slug, "1.0.0"])
    assert answers(cast, where) == only_managers()
    assert answers(cast, where, "post") == only_managers(400)
    observer = make_user("Olga Observer")
    set_roles(actor=cast.manager, project=cast.project, user=observer, roles=[Role.OBSERVER])
    for data in ({}, {"repo": REPO, "token": TOKEN}):
        assert browser(observer).post(where, data).status_code == 403
    assert browser(observer).get(where).status_code == 403
    assert where not in browser(observer).get(detail).content.decode()
    assert where in browser(cast.manager).get(detail).content.decode()
    assert not Push.objects.exists()


# --- the token ---


def _fault(*_release: object, **_more: object) -> str:
    raise LookupError


def _no_memory(*_release: object, **_more: object) -> str:
    raise MemoryError


@pytest.mark.parametrize(("sends", "reason"), [(_fault, FAULT), (_no_memory, OUT_OF_MEMORY)])
def test_it_is_erased_after_a_fault_which_is_said_in_words(
    cast: Cast, release: Release, hub: Hub, monkeypatch: pytest.MonkeyPatch, sends: Any, reason: str
) -> None:
    monkeypatch.setattr(push, "send_release", sends)
    failed = sent(cast, release)
    assert (failed.state, failed.sealed, Job.objects.get(kind=PUSH).reason) == (PushState.FAILED, "", reason)
    assert Job.objects.get(kind=PUSH).why in seen(cast, release)


def test_it_is_erased_after_the_last_worker_was_lost(cast: Cast, release: Release, hub: Hub) -> None:
    post(cast, release)
    assert Push.objects.get().sealed
    Job.objects.filter(kind=PUSH).update(attempts=MOST_LOSSES)
    do_work(PUSH, Push.objects.get().pk)
    assert (Push.objects.get().sealed, Job.objects.get(kind=PUSH).reason) == ("", LOST_WORKERS)
    assert hub.asked == []


def test_the_database_keeps_none_of_a_push_that_is_over(cast: Cast, release: Release, hub: Hub) -> None:
    post(cast, release)
    for state in (PushState.DONE, PushState.FAILED):
        with pytest.raises(IntegrityError), transaction.atomic():
            Push.objects.update(state=state, finished_at=timezone.now())


def test_nobody_can_cancel_the_job_and_leave_it_behind(cast: Cast, release: Release, hub: Hub) -> None:
    post(cast, release)
    job = Job.objects.get(kind=PUSH)
    for name in ("pause", "cancel"):
        url = reverse(f"jobs:{name}", args=[cast.project.slug, job.pk])
        assert browser(cast.manager).post(url).status_code == 404


def test_it_is_sent_to_no_other_hub_than_the_one_it_was_typed_for(
    cast: Cast, release: Release, hub: Hub
) -> None:
    post(cast, release)
    with hub_server(Hub(accepted=TOKEN)) as other:
        Push.objects.update(hub=other.address)  # as somebody in the database could
        do_work(PUSH, Push.objects.get().pk)
        assert other.asked == []
    assert Push.objects.get().sealed == ""
    assert "token can no longer be decrypted" in seen(cast, release)


def test_it_is_shown_nowhere(
    cast: Cast, release: Release, hub: Hub, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    """Send it well and badly, to a hub that repeats it, then look for it wherever a person could."""
    caplog.set_level(logging.DEBUG)
    hub.repeats_tokens = True
    bodies = [post(cast, release, repo="no name").content.decode()]
    post(cast, release)
    waiting = Push.objects.get()
    assert waiting.sealed
    bodies += [
        seen(cast, release),
        *every_row("push_release"),
        *_admin_pages(),
        dumped("release.push", *DUMPED),
        redis_values(),
    ]
    bodies += [repr(waiting), str(waiting), repr(vars(waiting))]
    do_work(PUSH, waiting.pk)
    for part, status in (("/repos/create", 403), ("/commit/", 400), ("/preupload/", 400)):
        hub.fails = {part: status}
        assert sent(cast, release).state == PushState.FAILED
        bodies.append(seen(cast, release))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.HfApi.create_repo", _complain)
        assert sent(cast, release).state == PushState.FAILED
    assert "The hub cannot be reached: No header may be ***" in seen(cast, release)
    slug = cast.project.slug
    wanted = [
        reverse("jobs:list", args=[slug]),
        reverse("release:detail", args=[slug, "1.0.0"]),
        reverse("dashboard:inbox", args=[slug]),
        "/api/v1/schema/",
        f"/api/v1/projects/{slug}/releases/1.0.0/",
    ]
    bodies += [browser(cast.manager).get(url, follow=True).content.decode() for url in wanted]
    bodies += [
        *every_row("push_release"),
        *_admin_pages(),
        dumped("release.push", *DUMPED),
        caplog.text,
        *capfd.readouterr(),
        redis_values(),
    ]
    assert len(hub.commits) == 1, "it was there to be found"
    for body in bodies:
        for part in (TOKEN, TOKEN[3:23], TOKEN[-20:]):
            assert part not in body


def _complain(api: Any, *_repo: object, **_more: object) -> None:
    """Raise an error of the library that contains the token."""
    raise ValueError(f"No header may be {api.token}")


def _admin_pages() -> list[str]:
    client: Client = browser(make_user(administrator=True))
    found = []
    for model in (Push, Job, AuditEvent):
        assert model in admin.site._registry
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(client.get(reverse(f"{name}_changelist")))
        found += [
            client.get(reverse(f"{name}_change", args=[row.pk])) for row in model._default_manager.all()
        ]
    assert {answer.status_code for answer in found} == {200}
    texts = [answer.content.decode() for answer in found]
    assert not any(row.sealed in text for row in Push.objects.exclude(sealed="") for text in texts)
    return texts


def test_services_refuse_who_may_not_send(cast: Cast, release: Release, hub: Hub) -> None:
    for actor in (cast.writer, cast.reviewer, cast.outsider):
        with pytest.raises(Forbidden):
            order_push(actor=actor, release=release, repo=REPO, is_public=False, token=TOKEN)
