"""A manager edits an item at once: in which states, who else may not, and what follows."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation.lifecycle import EDITED_AT_ONCE, STATES
from annotation.models import Item, ItemDraft, RevisionAuthor, State
from annotation.permissions import may_revise_now
from annotation.services import revise_item
from core.errors import Conflict, Forbidden, Unusable
from review.models import RequestState, ReviewRequest, Stage
from review.services import claim_next
from tests.dashboard.test_item_list import move
from tests.factories import Cast, content, make_project, submit_item
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db

WAY = {
    "in_review": (),
    "in_verification": ("in_verification",),
    "in_adjudication": ("in_adjudication",),
    "verified": ("in_verification", "verified"),
    "returned": ("returned",),
    "rejected": ("rejected",),
    "withdrawn": ("withdrawn",),
    "retired": ("in_verification", "verified", "retired"),
}


@pytest.fixture
def cast() -> Cast:
    return make_project()


def item_in(cast: Cast, state: str) -> Item:
    item = submit_item(cast)
    for each in WAY[state]:
        item = move(item, each, cast)
    return Item.objects.get(pk=item.pk)


@pytest.mark.parametrize("state", [state for state in STATES if state != "draft"])
def test_the_state_says_who_may_revise_now(cast: Cast, state: str) -> None:
    item = item_in(cast, state)
    may = {name for name in ("manager", "writer", "reviewer") if may_revise_now(getattr(cast, name), item)}
    everyone = {"manager", "writer", "reviewer"}  # who of them is asked by `may_revise`
    assert may == (everyone if state == "returned" else {"manager"} if state in EDITED_AT_ONCE else set())


@pytest.mark.parametrize("state", EDITED_AT_ONCE)
def test_an_edit_goes_to_review_from_the_beginning(cast: Cast, state: str) -> None:
    item = item_in(cast, state)
    done = revise_item(actor=cast.manager, item=item, content=content("Which hare slept?"))
    assert done.state == State.IN_REVIEW
    assert done.current is not None
    assert (done.current.number, done.writer) == (2, cast.writer)
    assert RevisionAuthor.objects.filter(revision=done.current, user=cast.manager).exists()
    requests = ReviewRequest.objects.filter(item=item, state=RequestState.OPEN)
    assert {one.stage for one in requests} == {Stage.CROSS_CHECK}
    assert all(one.revision_id == done.current_id for one in requests)
    assert all(cast.manager.pk in one.excluded for one in requests), "who wrote it does not review it"


@pytest.mark.parametrize("state", EDITED_AT_ONCE)
def test_its_writer_may_not(cast: Cast, state: str) -> None:
    with pytest.raises(Conflict):
        revise_item(actor=cast.writer, item=item_in(cast, state), content=content("Which hare slept?"))


@pytest.mark.parametrize("state", ["rejected", "withdrawn", "retired"])
def test_no_one_may_edit_what_is_over(cast: Cast, state: str) -> None:
    with pytest.raises(Conflict):
        revise_item(actor=cast.manager, item=item_in(cast, state), content=content("Which hare slept?"))


def test_other_people_may_not(cast: Cast) -> None:
    with pytest.raises((Forbidden, Conflict)):
        revise_item(actor=cast.reviewer, item=item_in(cast, "verified"), content=content("Which hare?"))


def test_an_item_under_review_is_left_alone(cast: Cast) -> None:
    item = item_in(cast, "in_review")
    claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    with pytest.raises(Conflict, match="reviewing this item now"):
        revise_item(actor=cast.manager, item=item, content=content("Which hare slept?"))
    assert Item.objects.get(pk=item.pk).current_id == item.current_id


def test_nothing_changes_without_a_change(cast: Cast) -> None:
    item = item_in(cast, "verified")
    with pytest.raises(Unusable, match="Nothing has changed"):
        revise_item(actor=cast.manager, item=item, content=content())
    assert Item.objects.get(pk=item.pk).state == State.VERIFIED


def form_of(client: Client, cast: Cast, item: Item, query: str = "") -> tuple[str, dict[str, str]]:
    """The address of an item's form, and the fields that are hidden in it."""
    answer = client.get(f"{reverse('annotation:revise', args=[cast.project.slug, item.pk])}{query}")
    assert answer.status_code == 200, answer.content.decode()[:500]
    sheet = answer.context["sheet"]
    hidden = {"story": sheet.story.pk, "task": sheet.task, "style": sheet.style, "item": item.pk}
    address = reverse("annotation:draft", args=[cast.project.slug, sheet.client_id])
    return address, {**{name: str(value) for name, value in hidden.items()}, "sequence": "0",
                     "next": answer.context["next"]}  # fmt: skip


def test_the_form_changes_nothing_before_it_is_submitted_and_leads_on(cast: Cast) -> None:
    item, client = item_in(cast, "verified"), browser(cast.manager)
    following = reverse("dashboard:items", args=[cast.project.slug])
    address, hidden = form_of(client, cast, item, f"?next={following}")
    assert hidden["next"] == following
    assert (
        "from the beginning"
        in client.get(reverse("annotation:revise", args=[cast.project.slug, item.pk])).content.decode()
    )
    typed = {
        "stem": "Which hare slept?", "types": "social", "key": "0", "explanation": "It says so.",
        **{f"option-{place}": text for place, text in enumerate(("It slept", "It fell", "It ran", "It ate"))},
    }  # fmt: skip
    saved = client.post(address, {**hidden, **typed, "do": "save"})
    assert saved.status_code == 302
    assert "next=" in saved.headers["Location"], "kept while the draft is saved"
    assert Item.objects.get(pk=item.pk).state == State.VERIFIED
    assert ItemDraft.objects.filter(item=item, writer=cast.manager).exists()


def test_a_form_leads_to_no_other_site(cast: Cast) -> None:
    item, client = item_in(cast, "verified"), browser(cast.manager)
    assert form_of(client, cast, item, "?next=https://elsewhere.example/")[1]["next"] == ""


@pytest.mark.parametrize("who", ["writer", "reviewer", "verifier", "outsider"])
def test_the_form_of_a_verified_item_is_for_managers(cast: Cast, who: str) -> None:
    item = item_in(cast, "verified")
    answer = browser(getattr(cast, who)).get(reverse("annotation:revise", args=[cast.project.slug, item.pk]))
    assert answer.status_code in {403, 404, 409}
