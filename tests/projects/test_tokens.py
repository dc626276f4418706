"""Programs with access tokens: who they are, what scopes and projects let through, and what is sent twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, IdempotencyKey, Scope
from accounts.tokens import is_access_token, new_access_token, token_hash
from core.errors import Conflict, Forbidden, Unusable
from projects import services
from projects.models import AccessToken, Project
from projects.permissions import MEMBER, SCOPES, Permission, scope_of
from projects.request_cache import within_request
from tests.factories import Cast, make_project, make_user

pytestmark = pytest.mark.django_db
Ask = Callable[..., Any]


def token_of(user: Any, *scopes: str, project: Project | None = None, days: int = 1) -> str:
    return services.create_token(
        actor=user, name="a script", scopes=scopes or Scope.values, days=days, project=project
    ).text


def ask(token: str, method: str, address: str, body: Any = None, **headers: str) -> Any:
    client = Client(headers={"Authorization": f"Bearer {token}", **headers}, enforce_csrf_checks=True)
    sent = {} if body is None else {"data": body, "content_type": "application/json"}
    return getattr(client, method)(address, **sent)


def test_a_token_has_a_prefix_and_a_checksum() -> None:
    token = new_access_token()
    assert token.startswith("parable_")
    assert len(token) == 46
    assert is_access_token(token)
    other = "b" if token[20] == "a" else "a"
    assert not is_access_token(token[:20] + other + token[21:])
    assert not is_access_token(token[:-1])
    assert not is_access_token("parable_")


def test_the_database_has_no_token(cast: Cast) -> None:
    made = services.create_token(actor=cast.writer, name=" my  script ", scopes=["write", "read"], days=3)
    row = AccessToken.objects.get()
    assert row.token_hash == token_hash(made.text)
    assert made.text not in str(vars(row))
    assert (row.name, row.scopes, row.hint) == ("my script", ["read", "write"], made.text[-4:])
    assert (row.expires_at - timezone.now()).days == 2
    assert AuditEvent.objects.get(verb="create_token").actor == cast.writer


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes"),
        ({"days": 0}, "days"),
        ({"days": 367}, "days"),
    ],
)
def test_a_token_that_cannot_be_made_names_the_field(cast: Cast, wrong: dict[str, Any], field: str) -> None:
    right: dict[str, Any] = {"name": "x" * 100, "scopes": ["read"], "days": 366}
    services.create_token(actor=cast.writer, **right)
    with pytest.raises(Unusable) as refused:
        services.create_token(actor=cast.writer, **{**right, **wrong})
    assert list(refused.value.fields) == [field]


def test_a_person_has_at_most_fifty_valid_tokens(cast: Cast) -> None:
    for _each in range(50):
        token_of(cast.writer)
    with pytest.raises(Conflict):
        token_of(cast.writer)
    services.revoke_token(actor=cast.writer, token=AccessToken.objects.order_by("pk")[0])
    token_of(cast.writer)


def test_only_its_owner_and_administrators_revoke_a_token(cast: Cast) -> None:
    token_of(cast.writer)
    row = AccessToken.objects.get()
    with pytest.raises(Forbidden):
        services.revoke_token(actor=cast.manager, token=row)
    services.revoke_token(actor=make_user("Ada", administrator=True), token=row)
    row.refresh_from_db()
    assert not row.is_valid


def test_a_valid_token_says_who_sends_it_and_each_use_is_seen(cast: Cast) -> None:
    text = token_of(cast.writer, "read")
    answer = ask(text, "get", reverse("api_me"))
    assert answer.json()["username"] == cast.writer.username
    assert answer.json()["token"]["scopes"] == ["read"]
    row = AccessToken.objects.get()
    assert row.used_from == "127.0.0.1"
    assert row.used_at is not None


@pytest.mark.parametrize("end", ["revoked", "expired", "closed", "unknown"])
def test_a_token_that_ended_is_refused_in_words(cast: Cast, end: str) -> None:
    text = token_of(cast.writer, "read")
    if end == "revoked":
        services.revoke_token(actor=cast.writer, token=AccessToken.objects.get())
    if end == "expired":
        AccessToken.objects.update(expires_at=timezone.now())
    if end == "closed":
        type(cast.writer).objects.filter(pk=cast.writer.pk).update(is_active=False)
    if end == "unknown":
        text = new_access_token()
    answer = ask(text, "get", reverse("api_me"))
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["code"] == "authentication_failed"
    assert "expired" in answer.json()["detail"]


def test_no_page_takes_a_token(cast: Cast) -> None:
    answer = ask(token_of(cast.manager), "get", reverse("projects:settings", args=[cast.project.slug]))
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/accounts/login/")


def test_every_permission_is_in_one_scope() -> None:
    for permission in Permission:
        assert sum(permission in scope for scope in SCOPES.values()) == 1, permission


@pytest.mark.parametrize(
    ("permission", "changes", "scope"),
    [
        (Permission.CHANGE_PEOPLE, False, "read"),
        (Permission.CHANGE_PEOPLE, True, "manage"),
        (Permission.MANAGE, True, "manage"),
        (Permission.REVIEW, True, "review"),
        (Permission.VERIFY, True, "review"),
        (Permission.WRITE, True, "write"),
        (MEMBER, True, "write"),
        (MEMBER, False, "read"),
    ],
)
def test_the_scope_of_a_request(permission: Permission, changes: bool, scope: str) -> None:
    assert scope_of(permission, changes=changes) == scope


def test_a_scope_lets_through_what_it_names_and_nothing_else(cast: Cast) -> None:
    address = reverse("api_project", args=[cast.project.slug])
    reader, manager = token_of(cast.manager, "read"), token_of(cast.manager, "manage")
    assert ask(reader, "get", address).status_code == 200
    refused = ask(reader, "patch", address, {"name": "Other"})
    assert (refused.status_code, refused.json()["code"]) == (403, "scope")
    assert ask(manager, "get", address).status_code == 403
    assert ask(manager, "patch", address, {"name": "Other"}).status_code == 200
    assert ask(token_of(cast.writer), "patch", address, {"name": "Mine"}).status_code == 403


@pytest.mark.parametrize("scopes", [["read"], ["read", "write", "review", "manage"]])
def test_a_method_that_an_endpoint_lacks_is_refused_as_such(cast: Cast, scopes: list[str]) -> None:
    """No scope would let it in, so the answer names the methods and no scope."""
    token = token_of(cast.manager, *scopes)
    refused = ask(token, "delete", reverse("api_events", args=[cast.project.slug]))
    assert (refused.status_code, set(refused["Allow"].split(", "))) == (405, {"GET", "OPTIONS"})
    assert refused.json()["code"] == "method_not_allowed"


def test_a_token_without_the_scope_is_refused_by_services_too(cast: Cast) -> None:
    made = services.create_token(actor=cast.manager, name="reader", scopes=["read"], days=1)
    with within_request(changes=True, token=made.row), pytest.raises(Forbidden, match="scope"):
        services.update_project(actor=cast.manager, project=cast.project, changes={"name": "Other"})


def test_a_token_of_one_project_finds_no_other(cast: Cast) -> None:
    other = services.create_project(
        actor=make_user("Ada", administrator=True), slug="other", name="Other", language="en"
    )
    services.set_roles(
        actor=make_user("Eve", administrator=True), project=other, user=cast.manager, roles=["manager"]
    )
    text = token_of(cast.manager, project=cast.project)
    own, foreign, absent = (
        ask(text, "get", reverse("api_project", args=[slug])) for slug in (cast.project.slug, "other", "none")
    )
    assert own.status_code == 200
    assert (
        (foreign.status_code, foreign.json()) == (absent.status_code, absent.json()) == (404, absent.json())
    )
    listed = ask(text, "get", reverse("api_projects")).json()
    assert [row["slug"] for row in listed["results"]] == [cast.project.slug]
    assert ask(text, "get", reverse("api_tokens")).status_code == 403


def test_an_administrators_token_of_one_project_is_no_key_to_the_site(cast: Cast) -> None:
    ada = make_user("Ada", administrator=True)
    other = make_project().project
    text = token_of(ada, project=cast.project)
    assert ask(text, "get", reverse("api_project", args=[other.slug])).status_code == 404
    assert ask(text, "patch", reverse("api_project", args=[other.slug]), {"name": "x"}).status_code == 404


def test_endpoints_that_name_no_scope_take_no_token(cast: Cast) -> None:
    answer = ask(token_of(cast.manager), "get", reverse("api-schema"))
    assert answer.status_code in (200, 403)


def test_no_token_makes_a_token(cast: Cast) -> None:
    sent = {"name": "x", "scopes": ["read"], "days": 1}
    assert ask(token_of(cast.manager), "post", reverse("api_tokens"), sent).status_code == 403
    browser = Client()
    browser.force_login(cast.manager)
    made = browser.post(reverse("api_tokens"), sent, content_type="application/json")
    assert made.status_code == 201
    assert ask(made.json()["token"], "get", made.headers["Location"]).status_code == 200


def test_a_request_sent_again_has_no_further_effect(cast: Cast) -> None:
    ada = make_user("Ada", administrator=True)
    text = token_of(ada)
    sent = {"slug": "twice", "name": "Twice", "language": "en"}
    first, again = (
        ask(text, "post", reverse("api_projects"), sent, **{"Idempotency-Key": "abc"}) for _each in range(2)
    )
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert first.headers["Location"] == again.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Project.objects.filter(slug="twice").count() == 1
    other = ask(
        text, "post", reverse("api_projects"), sent | {"slug": "thrice"}, **{"Idempotency-Key": "abc"}
    )
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert not Project.objects.filter(slug="thrice").exists()


def test_a_refused_request_may_be_mended_under_its_key(cast: Cast) -> None:
    text = token_of(make_user("Ada", administrator=True))
    key = {"Idempotency-Key": "abc"}
    wrong = ask(text, "post", reverse("api_projects"), {"slug": "A B", "name": "x", "language": "en"}, **key)
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["slug"])
    assert not IdempotencyKey.objects.exists()
    right = ask(text, "post", reverse("api_projects"), {"slug": "a-b", "name": "x", "language": "en"}, **key)
    assert right.status_code == 201


def test_a_change_of_what_has_changed_meanwhile_is_refused(cast: Cast) -> None:
    text, address = token_of(cast.manager), reverse("api_project", args=[cast.project.slug])
    read = ask(text, "get", address)
    tag = read.headers["ETag"]
    assert ask(text, "get", address, **{"If-None-Match": tag}).status_code == 304
    assert ask(text, "patch", address, {"name": "One"}, **{"If-Match": tag}).status_code == 200
    late = ask(text, "patch", address, {"name": "Two"}, **{"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    assert ask(text, "get", address).json()["name"] == "One"


def test_what_a_list_does_not_have_is_refused_by_name(cast: Cast) -> None:
    answer = ask(token_of(cast.manager), "get", reverse("api_projects") + "?created_by__password=x")
    assert answer.status_code == 400
    assert "created_by__password" in answer.json()["detail"]
    for cursor in ("nonsense", "cD1hYmM=", "cD0xOTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk="):
        assert (
            ask(token_of(cast.manager), "get", f"{reverse('api_projects')}?cursor={cursor}").status_code
            == 404
        )


def test_a_list_comes_in_pages_that_cost_the_same(cast: Cast, django_assert_max_num_queries: Any) -> None:
    text = token_of(cast.manager)
    address = reverse("api_members", args=[cast.project.slug])
    seen = []
    next_page = f"{address}?limit=2"
    while next_page:
        with django_assert_max_num_queries(8):
            answer = ask(text, "get", next_page).json()
        seen += [row["username"] for row in answer["results"]]
        next_page = answer["next"]
    whole = [row["username"] for row in ask(text, "get", address).json()["results"]]
    assert seen == whole
    assert len(whole) == len(set(whole)) > 4


def test_a_problem_is_told_in_the_callers_language(cast: Cast) -> None:
    type(cast.writer).objects.filter(pk=cast.writer.pk).update(language="zh-hans")
    cast.writer.refresh_from_db()
    answer = ask(token_of(cast.writer), "get", reverse("api_project", args=["none"]))
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
    assert any("\u4e00" <= sign <= "\u9fff" for sign in answer.json()["detail"])


def test_a_token_sends_at_most_so_many_requests_a_minute(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projects.authentication.TokenThrottle.rate", "2/min", raising=False)
    text, other = token_of(cast.writer), token_of(cast.writer)
    answers = [ask(text, "get", reverse("api_me")) for _each in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[-1].json()["code"] == "throttled"
    assert ask(other, "get", reverse("api_me")).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "abc"}])
@pytest.mark.parametrize(
    "odd",
    [
        {"days": 2**70},
        {"name": "half \ud800 a character"},
        {"half \ud800 a name": 1},
        {"name": {"a": [2**70]}},
    ],
)
def test_what_json_may_have_and_no_column_holds_is_refused_in_words(
    cast: Cast, odd: dict[str, Any], headers: dict[str, str]
) -> None:
    text = token_of(cast.manager)
    refused = ask(text, "post", reverse("api_webhooks", args=[cast.project.slug]), odd, **headers)
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")
    assert refused.json()["code"] == "invalid"
