"""All data about a person as a file, and closing an account: what goes, what stays, who is refused."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditEvent, User, UserSession
from accounts.services import close_account, create_user, system_account
from annotation.models import Item, ItemDraft, RevisionAuthor
from annotation.services import add_comment, save_draft
from core.errors import Conflict, Forbidden, Hidden
from dashboard.models import SavedView
from dashboard.services import save_view
from projects.models import AccessToken, Membership, Role
from projects.services import create_token, set_roles
from review.models import Answer, Disposition, RequestState, ReviewRequest, Stage
from review.services import claim_next, send_verdict, solve
from tests.factories import PASSWORD, Cast, content, make_story, make_user, submit_item
from tests.projects.pages import browser
from tests.review.practice_cast import first_drawn, look, practice_item, right_place

pytestmark = pytest.mark.django_db

CLOSE = "/me/close"
DATA = "/me/data"


def data_of(user: User) -> dict[str, list[dict[str, Any]]]:
    answer = browser(user).post(DATA)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="parable-{user.pk}.json"'
    found: dict[str, list[dict[str, Any]]] = json.loads(answer.getvalue())
    return found


def closed(user: User) -> User:
    return User.objects.get(pk=user.pk)


# --- the file ---


def test_the_file_has_what_the_site_holds_of_a_person(cast: Cast) -> None:
    item = submit_item(cast)
    save_draft(
        actor=cast.writer, project=cast.project, story=make_story(cast), task="commonsense",
        client_id=uuid.uuid4(), sequence=1, content={"stem": "Half a stem"},
    )  # fmt: skip
    add_comment(actor=cast.writer, item=item, text="Mine")
    add_comment(actor=cast.manager, item=item, text="Not mine")
    token = create_token(actor=cast.writer, name="Nightly", scopes=["read"], days=1)
    found = data_of(cast.writer)
    (account,) = found["account"]
    assert (account["username"], account["name"]) == (cast.writer.username, cast.writer.name)
    assert [row["role"] for row in found["memberships"]] == ["writer"]
    assert [row["id"] for row in found["items"]] == [item.pk]
    (revision,) = found["revisions"]
    assert revision["content"]["stem"] == content().stem
    assert [one["is_key"] for one in revision["content"]["options"]] == [False, True, False, False]
    assert [row["content"]["stem"] for row in found["drafts"]] == ["Half a stem"]
    assert [row["text"] for row in found["comments"]] == ["Mine"]
    assert {row["cause"] for row in found["moves"]} == {"written"}
    assert [row["name"] for row in found["access_tokens"]] == ["Nightly"]
    assert "create_token" in [row["verb"] for row in found["events"]]
    assert len(found["sessions"]) == 1
    whole = json.dumps(found)
    assert token.text not in whole
    assert token.row.token_hash not in whole
    assert cast.writer.password not in whole
    assert AuditEvent.objects.filter(verb="export_own_data", actor=cast.writer).exists()


def test_the_file_tells_a_reviewer_nothing_before_the_verdict(cast: Cast) -> None:
    """Neither keys, nor whether an answer was right, nor which of the items was practice."""
    practice_item(cast)
    submit_item(cast)
    first = first_drawn(cast)
    practised = solve(actor=cast.reviewer, request=first, answer=Answer.OPTION, position=right_place(first))
    request = ReviewRequest.objects.get(stage=Stage.CROSS_CHECK, state=RequestState.OPEN)
    take_over = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert take_over is not None
    found = data_of(cast.reviewer)
    (row,) = found["reviews"]
    assert row["chosen"] == [chr(ord("A") + right_place(first))]
    assert row["is_correct"] is None
    text = json.dumps(found)
    assert "It felt sure of winning" not in text
    assert str(request.revision_id) not in [str(row.get("item_id")) for row in found["reviews"]]
    send_verdict(actor=cast.reviewer, review=practised, disposition=Disposition.PASS, rating=2)
    assert [row["is_correct"] for row in data_of(cast.reviewer)["reviews"]] == [True]


def test_rows_of_practice_look_like_all_others(cast: Cast) -> None:
    practice_item(cast)
    submit_item(cast)
    look(cast, cast.reviewer, Stage.CROSS_CHECK, disposition=Disposition.PASS, rating=2)
    solve(actor=cast.reviewer, request=first_drawn(cast), answer=Answer.OPTION, position=0)
    real, practised = data_of(cast.reviewer)["reviews"]
    assert practised.keys() == real.keys()
    assert not any("item" in name or "revision" in name for name in practised)


def test_the_file_is_for_its_owner(client: Client) -> None:
    assert client.post(DATA).status_code == 302
    assert browser(make_user("Lin")).get(DATA).status_code == 405


def test_the_file_costs_the_same_for_much_work(cast: Cast) -> None:
    counts = []
    for more in (1, 6):
        for _each in range(more):
            submit_item(cast)
        client = browser(cast.writer)
        with CaptureQueriesContext(connection) as queries:
            client.post(DATA).getvalue()
        counts.append(len(queries))
    assert counts[0] == counts[1]


# --- closing ---


def test_a_person_closes_the_own_account_with_the_password(cast: Cast) -> None:
    item = submit_item(cast)
    create_token(actor=cast.writer, name="x", scopes=["read"], days=1)
    cast.writer.email = "wen@example.org"
    cast.writer.save(update_fields=["email"])
    client, elsewhere = browser(cast.writer), browser(cast.writer)
    page = client.get(CLOSE).content.decode()
    assert "This cannot be undone." in page
    assert "1 item" in page
    assert "1 access token is revoked." in page
    answer = client.post(CLOSE, {"password": PASSWORD})
    assert answer.headers["Location"] == reverse("account_login")
    row = closed(cast.writer)
    assert row.username == row.name == f"closed-{row.pk}"
    assert (row.email, row.language, row.time_zone, row.last_login) == ("", "", "", None)
    assert row.closed_at is not None
    assert not row.is_active
    assert not row.has_usable_password()
    assert authenticate(None, username=row.username, password=PASSWORD) is None
    assert client.get("/me").status_code == elsewhere.get("/me").status_code == 302
    assert not UserSession.objects.filter(user=row).exists()
    assert not Membership.objects.filter(user=row).exists()
    assert not AccessToken.objects.get().is_valid
    assert Item.objects.get(pk=item.pk).writer == row
    assert RevisionAuthor.objects.wrote(row, item.pk)
    assert AuditEvent.objects.get(verb="close_account").actor == row


@pytest.mark.parametrize("password", ["", "wrong"])
def test_without_the_password_it_stays(cast: Cast, password: str) -> None:
    page = browser(cast.writer).post(CLOSE, {"password": password})
    assert page.status_code == 200
    assert list(page.context["form"].errors) == ["password"]
    assert closed(cast.writer).closed_at is None


def test_wrong_passwords_are_limited_here_too(cast: Cast) -> None:
    client = browser(cast.writer)
    for _each in range(6):
        client.post(CLOSE, {"password": "wrong"})
    client.post(CLOSE, {"password": PASSWORD})
    assert closed(cast.writer).closed_at is None


def test_who_signs_in_elsewhere_types_the_user_name(cast: Cast) -> None:
    cast.writer.set_unusable_password()
    cast.writer.save(update_fields=["password"])
    client = browser(cast.writer)
    client.post(CLOSE, {"username": "other"})
    assert closed(cast.writer).closed_at is None
    client.post(CLOSE, {"username": cast.writer.username})
    assert closed(cast.writer).closed_at is not None


def test_the_only_manager_of_a_project_is_refused_with_its_name(cast: Cast) -> None:
    client = browser(cast.manager)
    assert f"Only manager of: {cast.project}" in client.get(CLOSE).content.decode()
    page = client.post(CLOSE, {"password": PASSWORD})
    assert f"This person is the only manager of: {cast.project}." in page.content.decode()
    assert closed(cast.manager).closed_at is None
    assert Membership.objects.filter(user=cast.manager).exists()
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.MANAGER])
    client.post(CLOSE, {"password": PASSWORD})
    assert closed(cast.manager).closed_at is not None


def test_claimed_reviews_return_to_the_queue_and_drafts_stay(cast: Cast) -> None:
    practice_item(cast)
    submit_item(cast)
    first_drawn(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    save_draft(
        actor=cast.writer, project=cast.project, story=make_story(cast), task="commonsense",
        client_id=uuid.uuid4(), sequence=1, content={"stem": "Half"},
    )  # fmt: skip
    for person in (cast.reviewer, cast.writer):
        close_account(actor=person, user=person)
    held = ReviewRequest.everything.filter(state=RequestState.CLAIMED)
    assert not held.exists()
    assert claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK) is not None
    assert ItemDraft.objects.get().writer == closed(cast.writer)
    page = browser(cast.manager).get(reverse("dashboard:handover", args=[cast.project.slug]))
    assert f"closed-{cast.writer.pk}" in page.content.decode()


def test_private_views_go_and_shared_ones_stay(cast: Cast) -> None:
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.MANAGER])
    for name, shared in (("mine", False), ("ours", True)):
        save_view(
            actor=cast.writer, project=cast.project, listing="items", name=name, query="", shared=shared
        )
    close_account(actor=cast.writer, user=cast.writer)
    assert [view.name for view in SavedView.objects.all()] == ["ours"]


def test_administrators_close_the_accounts_of_others(cast: Cast) -> None:
    ada = make_user("Ada", administrator=True)
    address = reverse("dashboard:close_other_account", args=[cast.writer.pk])
    assert browser(cast.manager).get(address).status_code == 403
    assert browser(cast.manager).post(address, {"username": cast.writer.username}).status_code == 403
    client = browser(ada)
    assert cast.writer.name in client.get(address).content.decode()
    client.post(address, {"username": "other"})
    assert closed(cast.writer).closed_at is None
    assert client.post(address, {"username": cast.writer.username}).headers["Location"] == "/people"
    assert closed(cast.writer).closed_at is not None
    assert client.get(address).status_code == 404
    own = reverse("dashboard:close_other_account", args=[ada.pk])
    assert client.get(own).headers["Location"] == CLOSE


@pytest.mark.parametrize("who", ["stranger", "closed", "system", "placeholder", "last administrator"])
def test_who_may_not_be_closed(cast: Cast, who: str) -> None:
    ada = make_user("Ada", administrator=True)
    actor, user, error = {
        "stranger": (cast.manager, cast.writer, Forbidden),
        "closed": (ada, cast.writer, Hidden),
        "system": (ada, system_account(), Hidden),
        "placeholder": (ada, cast.writer2, Hidden),
        "last administrator": (ada, ada, Conflict),
    }[who]
    if who == "closed":
        close_account(actor=ada, user=user)
    if who == "placeholder":
        User.objects.filter(pk=user.pk).update(is_placeholder=True, is_active=False)
    before = closed(user).closed_at
    with pytest.raises(error):
        close_account(actor=actor, user=user)
    assert closed(user).closed_at == before


def test_a_name_that_looks_like_a_closed_account_is_in_nobodys_way(cast: Cast) -> None:
    create_user(
        actor=system_account(), username=f"Closed-{cast.writer.pk}", name="Someone", password=PASSWORD
    )
    close_account(actor=cast.writer, user=cast.writer)
    assert closed(cast.writer).username == f"closed-{cast.writer.pk}-2"
