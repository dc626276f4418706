"""Invitations, types and the guideline by programs: what they get, what is refused, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from projects import services
from projects.models import CommonsenseType, Guideline, GuidelineAcknowledgement, Invitation
from tests.factories import Cast, make_project
from tests.projects.test_tokens import ask, token_of

pytestmark = pytest.mark.django_db

MOST_STATEMENTS = 6


def address(cast: Cast, name: str, *arguments: object) -> str:
    return reverse(f"api_{name}", args=[cast.project.slug, *arguments])


def test_it_invites_people_and_shows_their_links_once(cast: Cast) -> None:
    text = token_of(cast.manager)
    sent = {"names": [" Ann  Lee ", "Bo"], "roles": ["writer", "reviewer"], "days": 3}
    key = {"Idempotency-Key": "once"}
    made = ask(text, "post", address(cast, "invitations"), sent, **key)
    assert made.status_code == 201
    assert [row["name"] for row in made.json()["results"]] == ["Ann Lee", "Bo"]
    assert made.json()["results"][0]["roles"] == ["reviewer", "writer"]
    page = Client().get(made.json()["results"][0]["link"])
    assert "Ann Lee" in page.content.decode()
    again = ask(text, "post", address(cast, "invitations"), sent, **key)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert Invitation.objects.count() == 2
    listed = ask(text, "get", made.headers["Location"]).json()["results"]
    assert [row["name"] for row in listed] == ["Bo", "Ann Lee"]
    assert "link" not in listed[0]
    assert "token" not in str(listed)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"names": []}, "names"),
        ({"names": [" "]}, "names"),
        ({"names": ["x" * 151]}, "names"),
        ({"names": ["x"] * 201}, "names"),
        ({"roles": []}, "roles"),
        ({"roles": ["owner"]}, "roles"),
        ({"days": 0}, "days"),
        ({"days": 91}, "days"),
        ({"admin": True}, "admin"),
    ],
)
def test_invitations_that_cannot_be_made_name_the_field(
    cast: Cast, wrong: dict[str, Any], field: str
) -> None:
    right = {"names": ["x" * 150], "roles": ["writer"], "days": 90}
    assert ask(token_of(cast.manager), "post", address(cast, "invitations"), right).status_code == 201
    refused = ask(token_of(cast.manager), "post", address(cast, "invitations"), {**right, **wrong})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])


def test_a_revoked_link_no_longer_works(cast: Cast) -> None:
    text = token_of(cast.manager)
    made = ask(text, "post", address(cast, "invitations"), {"names": ["Ann"], "roles": ["writer"]}).json()
    row = made["results"][0]
    revoked = ask(text, "post", address(cast, "invitation_revoke", row["id"]))
    assert revoked.status_code == 200
    assert revoked.json()["revoked_at"]
    assert ask(text, "get", address(cast, "invitations")).json()["results"] == []
    assert ask(text, "get", address(cast, "invitation", row["id"])).json() == revoked.json()
    assert Client().get(row["link"]).status_code == 409
    assert AuditEvent.objects.filter(verb="revoke_invitation", actor=cast.manager).exists()


def test_a_used_link_cannot_be_revoked(cast: Cast) -> None:
    issued = services.invite_people(
        actor=cast.manager, project=cast.project, names=["Out"], roles=["observer"]
    )[0]
    services.join_by_invitation(actor=cast.outsider, token=issued.token)
    refused = ask(token_of(cast.manager), "post", address(cast, "invitation_revoke", issued.invitation.pk))
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "Remove the person" in refused.json()["detail"]


def test_it_takes_the_scope_the_role_and_the_project_to_invite(cast: Cast) -> None:
    sent = {"names": ["Ann"], "roles": ["writer"]}
    there = address(cast, "invitations")
    assert ask(token_of(cast.manager, "read", "write", "review"), "post", there, sent).status_code == 403
    assert ask(token_of(cast.writer), "post", there, sent).status_code == 403
    other = make_project()
    stranger = ask(token_of(other.manager), "post", there, sent)
    absent = ask(token_of(other.manager), "post", reverse("api_invitations", args=["none"]), sent)
    assert (stranger.status_code, stranger.json()) == (404, absent.json())
    issued = services.invite_people(actor=cast.manager, project=cast.project, names=["A"], roles=["writer"])
    foreign = address(other, "invitation", issued[0].invitation.pk)
    assert ask(token_of(other.manager), "get", foreign).status_code == 404


def test_it_adds_renames_retires_and_restores_a_type(cast: Cast) -> None:
    text = token_of(cast.manager)
    made = ask(text, "post", address(cast, "types"), {"name_en": "Social norms"})
    assert made.status_code == 201
    assert made.json() | {"id": 0} == {
        "id": 0, "code": "social-norms", "name_zh": "Social norms", "name_en": "Social norms",
        "meaning_zh": "", "meaning_en": "", "retired_at": None,
    }  # fmt: skip
    there, tag = made.headers["Location"], made.headers["ETag"]
    assert ask(text, "get", there, **{"If-None-Match": tag}).status_code == 304
    renamed = ask(text, "patch", there, {"name_zh": "社会规范"}, **{"If-Match": tag})
    assert (renamed.json()["name_zh"], renamed.json()["name_en"]) == ("社会规范", "Social norms")
    late = ask(text, "patch", there, {"name_en": "Late"}, **{"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    retired = ask(text, "post", f"{there}retire/")
    assert retired.json()["retired_at"]
    by_state = {}
    for state in ("true", "false"):
        listed = ask(text, "get", f"{address(cast, 'types')}?retired={state}").json()["results"]
        by_state[state] = [row["code"] for row in listed]
    assert by_state["true"] == ["social-norms"]
    assert "social-norms" not in by_state["false"]
    assert ask(text, "post", f"{there}restore/").json()["retired_at"] is None


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({}, "name_en"),
        ({"name_en": "x" * 41}, "name_en"),
        ({"name_en": "x", "code": "a b"}, "code"),
        ({"name_en": "x", "code": "social"}, "code"),
        ({"name_en": "x", "meaning_en": "x" * 1001}, "meaning_en"),
        ({"name_en": "x", "order": 1}, "order"),
    ],
)
def test_a_type_that_cannot_be_made_names_the_field(cast: Cast, wrong: dict[str, Any], field: str) -> None:
    refused = ask(token_of(cast.manager), "post", address(cast, "types"), wrong)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])


def test_a_type_is_never_redefined_and_the_last_one_stays(cast: Cast) -> None:
    text = token_of(cast.manager)
    kinds = list(CommonsenseType.objects.filter(project=cast.project))
    refused = ask(text, "patch", address(cast, "type", kinds[0].pk), {"meaning_en": "Other"})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["meaning_en"])
    answers = [ask(text, "post", address(cast, "type_retire", kind.pk)).status_code for kind in kinds]
    assert answers == [200] * (len(kinds) - 1) + [409]


def test_members_read_types_and_managers_alone_change_them(cast: Cast) -> None:
    kind = CommonsenseType.objects.filter(project=cast.project)[0]
    for person in (cast.writer, cast.reviewer, cast.verifier):
        text = token_of(person)
        assert ask(text, "get", address(cast, "types")).status_code == 200
        assert ask(text, "patch", address(cast, "type", kind.pk), {"name_en": "x"}).status_code == 403
    assert ask(token_of(make_project().manager), "get", address(cast, "types")).status_code == 404
    assert ask(token_of(cast.manager, "write"), "get", address(cast, "types")).status_code == 403


def test_it_publishes_a_guideline_that_members_confirm(cast: Cast) -> None:
    text, reader = token_of(cast.manager), token_of(cast.writer)
    assert ask(reader, "get", address(cast, "guideline")).status_code == 404
    made = ask(text, "post", address(cast, "guideline_versions"), {"text": "# Rules\n", "based_on": 0})
    assert (made.status_code, made.json()["number"], made.json()["text"]) == (201, 1, "# Rules")
    late = ask(text, "post", address(cast, "guideline_versions"), {"text": "Mine", "based_on": 0})
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    next_one = ask(text, "post", address(cast, "guideline_versions"), {"text": "Two", "based_on": 1})
    assert next_one.json()["number"] == 2
    current = ask(reader, "get", address(cast, "guideline"))
    assert (current.json()["text"], current.json()["acknowledged"]) == ("Two", False)
    confirmed = ask(reader, "post", address(cast, "guideline_acknowledge", 2))
    assert confirmed.json()["acknowledged"] is True
    assert ask(reader, "post", address(cast, "guideline_acknowledge", 2)).status_code == 200
    assert GuidelineAcknowledgement.objects.filter(user=cast.writer, guideline__number=2).count() == 1
    listed = ask(reader, "get", address(cast, "guideline_versions")).json()["results"]
    assert [(row["number"], row["acknowledged"]) for row in listed] == [(2, True), (1, False)]
    assert "text" not in listed[0]
    tag = confirmed.headers["ETag"]
    assert ask(reader, "get", address(cast, "guideline"), **{"If-None-Match": tag}).status_code == 304


def test_a_guideline_that_cannot_be_published_names_the_field(cast: Cast) -> None:
    text, there = token_of(cast.manager), address(cast, "guideline_versions")
    for sent, field in (({"text": " "}, "text"), ({"text": "x" * 100_001}, "text"), ({"body": "x"}, "body")):
        refused = ask(text, "post", there, sent)
        assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert not Guideline.objects.exists()
    assert ask(token_of(cast.writer), "post", there, {"text": "x"}).status_code == 403
    assert ask(token_of(cast.manager, "read"), "post", there, {"text": "x"}).status_code == 403
    assert ask(text, "post", address(cast, "guideline_acknowledge", 1)).status_code == 404


@pytest.mark.parametrize("name", ["invitations", "types", "guideline_versions"])
def test_a_page_costs_the_same_however_many_rows_it_has(
    cast: Cast, name: str, django_assert_max_num_queries: Any
) -> None:
    names = [f"Person {number}" for number in range(20)]
    services.invite_people(actor=cast.manager, project=cast.project, names=names, roles=["writer"])
    for number in range(20):
        services.publish_guideline(actor=cast.manager, project=cast.project, text=f"Version {number}")
        services.add_type(actor=cast.manager, project=cast.project, name_zh="", name_en=f"Type {number}")
    text, seen = token_of(cast.manager), []
    next_page = f"{address(cast, name)}?limit=9"
    while next_page:
        with django_assert_max_num_queries(MOST_STATEMENTS):
            answer = ask(text, "get", next_page).json()
        seen += [str(row) for row in answer["results"]]
        next_page = answer["next"]
    assert len(seen) == len(set(seen)) >= 20
