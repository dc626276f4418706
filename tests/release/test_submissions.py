"""Prompts and models that teams submit: what is refused, what counts as an upload, what ends a key."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from accounts.models import AuditEvent
from core.errors import Conflict, Hidden, Unusable
from evaluation import services as evaluation
from evaluation.queries.submission import asking_of
from jobs.models import Endpoint, StoredKey
from jobs.queries import all_endpoints, askable_endpoints, endpoints
from jobs.services import allow_host, create_guest_endpoint, retire_guest_endpoint, withdraw_host
from jobs.services.endpoint import endpoint_spec
from parable.llm.errors import KeyRefused
from parable.llm.stub import StubServer
from release.models import Submission, Team
from release.prompt import LONGEST_PROMPT, faulty_prompts, variables_of
from release.queries.submission import get_submission, prompt_fields
from release.queries.team import left, scored_on
from release.services import invite_team, revoke_team, submit_model, submit_prompt, withdraw_submission
from release.services.submission import LONGEST_SUBMISSION
from tests.evaluation.measuring import add_model
from tests.factories import Cast, make_project, make_user
from tests.release.test_teams import _released, release
from tests.shared_rows import shared_rows

PROMPT = "Read {story}. {question} {options} Answer:"
KEY = "sk-0123456789-of-a-team"


@pytest.mark.parametrize(
    ("prompt", "prompts", "faulty"),
    [
        (PROMPT, {}, {}),
        (None, {}, {}),
        ("{question} {options_in_line}", {}, {}),
        ("{question}", {}, {"prompt": ("{question}", "{options}")}),
        ("{options}", {}, {"prompt": ("{question}", "{options}")}),
        ("", {}, {"prompt": ("{question}", "{options}")}),
        (PROMPT + "x" * (LONGEST_PROMPT - len(PROMPT)), {}, {}),
        (PROMPT + "x" * (LONGEST_PROMPT + 1 - len(PROMPT)), {}, {"prompt": ("{question}", "{options}")}),
        (None, {"scene_pairs": "{story} {second}"}, {}),
        (None, {"scene_pairs": "{story}"}, {"prompt-scene_pairs": ("{story}", "{second}")}),
    ],
)
def test_a_prompt_must_have_the_variables_of_its_task(
    prompt: str | None, prompts: dict[str, str], faulty: dict[str, tuple[str, ...]]
) -> None:
    assert faulty_prompts(prompt, prompts) == faulty


@pytest.mark.parametrize(
    ("task", "variables"),
    [
        ("moral", ("{story}", "{question}", "{options}", "{options_in_line}")),
        ("scene_pairs", ("{story}", "{second}")),
        ("anomaly_spans", ("{story}",)),
    ],
)
def test_it_names_the_variables_that_a_prompt_may_have(task: str, variables: tuple[str, ...]) -> None:
    assert variables_of(task) == variables


@pytest.fixture(scope="module")
def _cast(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Cast]:
    with shared_rows(django_db_blocker, _released) as made:
        yield made


@pytest.fixture
def cast(_cast: Cast, db: None) -> Cast:
    cache.clear()
    return deepcopy(_cast)


def invited(cast: Cast, name: str = "Lab", **caps: int) -> tuple[Team, str]:
    made = invite_team(actor=cast.manager, release=release(), name=name, **{"per_week": 2} | caps)
    return made.team, made.token


def prompted(token: str, name: str = "Mine", text: str = PROMPT) -> Submission:
    return submit_prompt(token=token, name=name, texts={"prompt": text})


def allowed(stub: StubServer) -> None:
    allow_host(actor=make_user("Ada", administrator=True), address=stub.base_url)


def modelled(stub: StubServer, token: str, **more: str) -> Submission:
    return submit_model(
        token=token, **{"name": "Mine", "base_url": stub.base_url, "model": "stub-letter", "key": KEY} | more
    )


def test_it_offers_one_prompt_for_all_tasks_with_one_right_option(cast: Cast) -> None:
    (only,) = prompt_fields(release())
    assert (only.field, only.wanted) == ("prompt", ("{question}", "{options}"))
    assert only.usual.startswith("Read the story")


def test_a_prompt_counts_as_an_upload_until_it_is_withdrawn(cast: Cast) -> None:
    team, token = invited(cast)
    mine = prompted(token)
    assert (left(team).this_week, left(team).of_team, scored_on(team.release)) == (1, 9, 1)
    prompted(token, "Another")
    with pytest.raises(Conflict, match="2 uploads of these seven days"):
        prompted(token, "A third")
    withdraw_submission(token=token, pk=mine.pk)
    assert (left(team).this_week, scored_on(team.release)) == (1, 1)
    Submission.objects.filter(pk=mine.pk).update(started_at=mine.created_at)
    assert left(team).this_week == 0, "it was run"
    assert AuditEvent.objects.filter(verb__in=["submit_to_run", "withdraw_submission"]).count() == 3


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("", PROMPT, "name"),
        ("n" * (LONGEST_SUBMISSION + 1), PROMPT, "name"),
        ("Mine", "{question}", "prompt"),
        ("Mine", "", "prompt"),
        ("Mine", "usual", "prompt"),
    ],
)
def test_it_refuses_a_prompt_without_a_name_or_without_a_change(
    cast: Cast, name: str, text: str, field: str
) -> None:
    _team, token = invited(cast)
    usual = prompt_fields(release())[0].usual
    with pytest.raises(Unusable) as refused:
        prompted(token, name, usual if text == "usual" else text)
    assert list(refused.value.fields) == [field]
    assert not Submission.objects.exists()


def test_it_refuses_a_name_twice(cast: Cast) -> None:
    _team, token = invited(cast)
    prompted(token)
    with pytest.raises(Unusable, match="already submitted"):
        prompted(token)
    _other, theirs = invited(cast, "Others")
    assert prompted(theirs).pk


def test_it_looks_up_and_calls_allowed_servers_alone(
    cast: Cast, stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _team, token = invited(cast)
    monkeypatch.setattr("jobs.services.endpoint.resolve", None)  # nothing is looked up before it is allowed
    for address in (stub.base_url, "https://169.254.169.254/v1", "http://localhost:5432/v1"):
        with pytest.raises(Unusable) as refused:
            modelled(stub, token, base_url=address)
        assert list(refused.value.fields) == ["base_url"]
    for address in ("", "ftp://host/v1", "https://user:pass@host/v1"):
        with pytest.raises(Unusable):
            modelled(stub, token, base_url=address)
    assert not Endpoint.objects.exists()
    monkeypatch.undo()
    allowed(stub)
    modelled(stub, token)
    assert stub.log == (), "it is called when it is run"


def test_an_allowed_name_that_leads_into_the_network_is_refused(
    cast: Cast, stub: StubServer, settings: Any
) -> None:
    _team, token = invited(cast)
    allowed(stub)
    settings.LLM_ALLOW_PRIVATE = frozenset()
    with pytest.raises(Unusable) as refused:
        modelled(stub, token)
    assert list(refused.value.fields) == ["base_url"]


def test_a_teams_model_is_in_no_list_and_for_nothing_else(cast: Cast, stub: StubServer) -> None:
    team, token = invited(cast)
    allowed(stub)
    mine = modelled(stub, token)
    assert mine.endpoint is not None
    for listed in (endpoints, askable_endpoints, all_endpoints):
        assert not listed(cast.project).exists()
    client = Client()
    client.force_login(cast.manager)
    assert (
        client.get(reverse("generation:endpoint", args=[cast.project.slug, mine.endpoint.pk])).status_code
        == 404
    )
    asking = asking_of(get_submission(cast.project, mine.pk))
    with pytest.raises(Unusable, match="cannot be asked"):
        evaluation.start_runs(
            actor=cast.manager,
            asking=deepcopy(asking).__class__(release=team.release, prompt=PROMPT, split="test"),
            endpoints=[mine.endpoint],
        )
    assert evaluation.start_runs(actor=cast.manager, asking=asking, endpoints=[mine.endpoint])


def test_its_key_is_sealed_and_ends_with_the_submission_the_host_or_the_link(
    cast: Cast, stub: StubServer
) -> None:
    team, token = invited(cast, per_week=5)
    allowed(stub)
    first, second = modelled(stub, token), modelled(stub, token, name="Second", key="")
    assert first.endpoint is not None
    assert first.endpoint is not None
    assert second.endpoint is not None
    assert endpoint_spec(first.endpoint, model="m", parameters={}).api_key == KEY
    assert endpoint_spec(second.endpoint, model="m", parameters={}).api_key == ""
    assert KEY not in StoredKey.objects.get().sealed
    host = allow_host(actor=make_user("Bob", administrator=True), address=stub.base_url)
    withdraw_host(actor=host.allowed_by, host=host)
    for one in (first, second):
        assert one.endpoint is not None
        with pytest.raises(KeyRefused):
            endpoint_spec(one.endpoint, model="m", parameters={})
    allow_host(actor=host.allowed_by, address=stub.base_url)
    withdraw_submission(token=token, pk=first.pk)
    assert not StoredKey.objects.exists()
    with pytest.raises(KeyRefused):
        endpoint_spec(Endpoint.objects.get(pk=first.endpoint.pk), model="m", parameters={})
    with pytest.raises(Conflict, match="withdrawn this submission"):
        evaluation.start_runs(
            actor=cast.manager,
            asking=asking_of(get_submission(cast.project, first.pk)),
            endpoints=[add_model(cast, stub, "stub-letter")],
        )
    revoke_team(actor=cast.manager, team=team)
    assert Submission.objects.get(pk=second.pk).withdrawn_at
    assert Endpoint.objects.get(pk=second.endpoint.pk).retired_at
    with pytest.raises(Conflict):
        prompted(token, "Late")


def test_a_team_withdraws_its_own_alone(cast: Cast) -> None:
    _team, token = invited(cast)
    _other, theirs = invited(cast, "Others")
    mine = prompted(token)
    with pytest.raises(Hidden):
        withdraw_submission(token=theirs, pk=mine.pk)
    with pytest.raises(Hidden):
        get_submission(make_project().project, mine.pk)
    assert withdraw_submission(token=token, pk=mine.pk).withdrawn_at


def test_only_guests_endpoints_are_retired_without_a_manager(cast: Cast, stub: StubServer) -> None:
    with pytest.raises(ValueError, match="guests"):
        retire_guest_endpoint(endpoint=add_model(cast, stub, "stub-letter"))
    with pytest.raises(Unusable):
        create_guest_endpoint(project=cast.project, name="x", base_url=stub.base_url, model="m")


def test_the_database_wants_a_model_where_it_is_one(cast: Cast) -> None:
    team, _token = invited(cast)
    for kind in ("model",):
        with pytest.raises(IntegrityError), transaction.atomic():
            Submission.objects.create(team=team, kind=kind, name="x")


def test_it_takes_so_many_from_one_address(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("release.services.SUBMISSION_LIMITS", {"submission": "1/h/ip"})
    _team, token = invited(cast)
    client, address = Client(), reverse("release:submit_prompt", args=[token])
    assert client.post(address, {"name": "", "prompt": PROMPT}).status_code == 400
    assert client.post(address, {"name": "Mine", "prompt": PROMPT}).status_code == 429
    assert not Submission.objects.exists()
