"""Verification: morals are confirmed option by option; small teams may let reviewers verify."""

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.models import Item, State
from annotation.queries.item import revision_content
from core.errors import Unusable
from projects.models import Membership, Role
from projects.services import set_roles
from review.models import Answer, Disposition, Review, ReviewRequest, Stage
from review.services import claim_next, send_verdict, solve, undo_verdict
from tests.factories import Cast, submit_item, wording

pytestmark = pytest.mark.django_db


def answered(cast: Cast, who: User, stage: str) -> Review:
    request = claim_next(actor=who, project=cast.project, stage=stage)
    assert request is not None
    key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    return solve(actor=who, request=request, answer=Answer.OPTION, position=key)


def passed(cast: Cast, task: str = "moral") -> Item:
    """An item that waits for verification."""
    item = submit_item(cast, task=task)
    review = answered(cast, cast.reviewer, Stage.CROSS_CHECK)
    send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
    return item


def keys(review: Review) -> list[bool | None]:
    """What is right, in the order drawn for the verifier."""
    right = review.revision.options.get(is_key=True).position
    return [position == right for position in review.drawn_order]


def state(item: Item) -> str:
    item.refresh_from_db()
    return item.state


# --- each option of a moral by itself ---


def test_it_verifies_a_moral_whose_options_are_each_confirmed(cast: Cast) -> None:
    item = passed(cast)
    review = answered(cast, cast.verifier, Stage.VERIFICATION)
    send_verdict(actor=cast.verifier, review=review, disposition=Disposition.PASS, option_marks=keys(review))
    assert state(item) == State.VERIFIED
    review.refresh_from_db()
    by_position = wording(item).options.order_by("position").values_list("is_key", flat=True)
    assert review.option_marks == list(by_position), "kept in the order of the wording"


def test_what_was_said_of_each_option_stays_said_when_the_verdict_is_undone(cast: Cast) -> None:
    passed(cast)
    review = answered(cast, cast.verifier, Stage.VERIFICATION)
    send_verdict(
        actor=cast.verifier,
        review=review,
        disposition=Disposition.PASS,
        option_marks=keys(review),
        final=False,
    )
    undo_verdict(actor=cast.verifier, review=review)
    client = Client()
    client.force_login(cast.verifier)
    page = client.get(
        reverse("review:request", args=[cast.project.slug, review.request.public_id])
    ).content.decode()
    for index, is_right in enumerate(keys(review)):
        said = "right" if is_right else "wrong"
        assert re.search(rf'name="mark_{index}" value="{said}" checked', page)


@pytest.mark.parametrize("said", [[], [True], [True, None, False, False]])
def test_it_confirms_no_moral_with_an_option_left_out(cast: Cast, said: list[bool | None]) -> None:
    item = passed(cast)
    review = answered(cast, cast.verifier, Stage.VERIFICATION)
    with pytest.raises(Unusable) as refused:
        send_verdict(actor=cast.verifier, review=review, disposition=Disposition.PASS, option_marks=said)
    assert "option_marks" in refused.value.fields
    assert state(item) == State.IN_VERIFICATION


@pytest.mark.parametrize("disposition", [Disposition.PASS, Disposition.REJECT])
@pytest.mark.parametrize("everything", [True, False])
def test_it_sends_a_moral_to_adjudication_whose_key_is_disputed(
    cast: Cast, disposition: str, everything: bool
) -> None:
    """Another option is right too, or none is."""
    item = passed(cast)
    review = answered(cast, cast.verifier, Stage.VERIFICATION)
    send_verdict(
        actor=cast.verifier,
        review=review,
        disposition=disposition,
        comment="View again.",
        option_marks=[everything] * 4,
    )
    assert state(item) == State.IN_ADJUDICATION


def test_it_drops_a_moral_without_a_word_about_its_options(cast: Cast) -> None:
    item = passed(cast)
    review = answered(cast, cast.verifier, Stage.VERIFICATION)
    send_verdict(actor=cast.verifier, review=review, disposition=Disposition.REJECT, comment="Two readings.")
    assert state(item) == State.REJECTED


def test_it_asks_nothing_of_the_kind_about_commonsense(cast: Cast) -> None:
    item = passed(cast, "commonsense")
    review = answered(cast, cast.verifier, Stage.VERIFICATION)
    send_verdict(actor=cast.verifier, review=review, disposition=Disposition.PASS)
    assert state(item) == State.VERIFIED


def test_it_takes_the_options_from_the_page(cast: Cast) -> None:
    item = passed(cast)
    client = Client()
    client.force_login(cast.verifier)
    page = client.post(f"/p/{cast.project.slug}/verify/next").headers["Location"]
    request = ReviewRequest.objects.get(stage=Stage.VERIFICATION)
    key = request.drawn_order.index(request.revision.options.get(is_key=True).position)
    assert "Each option" not in client.get(page).content.decode(), "not before the answer"
    client.post(f"{page}/answer", {"position": key})
    assert "Each option" in client.get(page).content.decode()
    form = {f"mark_{request}": "right" if request == key else "wrong" for request in range(3)}
    refused = client.post(f"{page}/verdict", form | {"disposition": "pass"})
    text = refused.content.decode()
    assert refused.status_code == 400
    assert "Mark each option as right or wrong." in text
    assert text.count('type="radio" name="mark_') == 8
    assert text.count(" checked") >= 3, "what was said stays said"
    client.post(f"{page}/verdict", form | {"disposition": "pass", "mark_3": "right" if key == 3 else "wrong"})
    assert state(item) == State.VERIFIED


# --- small teams ---


def test_it_lets_reviewers_verify_only_where_the_project_says_so(cast: Cast) -> None:
    set_roles(
        actor=cast.manager, project=cast.project, user=cast.reviewer, roles=[Role.REVIEWER, Role.VERIFIER]
    )
    passed(cast, "commonsense")
    assert claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.VERIFICATION) is None

    cast.project.reviewer_may_verify = True
    cast.project.save()
    item = passed(cast, "commonsense")
    review = answered(cast, cast.reviewer, Stage.VERIFICATION)
    assert (review.item, review.blind) == (item, False), "they have seen the key"
    send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS)
    assert state(item) == State.VERIFIED


def test_it_never_lets_a_writer_verify(cast: Cast) -> None:
    cast.project.reviewer_may_verify = True
    cast.project.save()
    roles = [Role.WRITER, Role.VERIFIER]
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=roles)
    passed(cast, "commonsense")
    assert claim_next(actor=cast.writer, project=cast.project, stage=Stage.VERIFICATION) is None


# --- edits that cannot be adopted ---


def test_it_refuses_an_edit_that_could_not_become_a_wording(cast: Cast) -> None:
    item = submit_item(cast)
    review = answered(cast, cast.reviewer, Stage.CROSS_CHECK)
    edit = replace(revision_content(wording(item)), explanation="")
    with pytest.raises(Unusable) as refused:
        send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.EDIT, edit=edit)
    assert "edit" in refused.value.fields


def test_it_sends_an_edit_to_adjudication_whose_author_has_left(cast: Cast) -> None:
    """Somebody else's verdict closes the round; it must not fail for what was true of another's edit."""
    cast.project.reviews_per_item = 2
    cast.project.save()
    item = submit_item(cast)
    review = answered(cast, cast.reviewer, Stage.CROSS_CHECK)
    edit = replace(revision_content(wording(item)), stem="Why did the hare doze?")
    send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.EDIT, edit=edit)
    Membership.objects.filter(user=cast.reviewer).delete()
    review = answered(cast, cast.reviewer2, Stage.CROSS_CHECK)
    send_verdict(actor=cast.reviewer2, review=review, disposition=Disposition.PASS, rating=2)
    assert state(item) == State.IN_ADJUDICATION
    assert wording(item).number == 1


@pytest.mark.parametrize(
    ("changed", "to"),
    [
        ("stem", State.IN_VERIFICATION),
        ("distractor", State.IN_VERIFICATION),
        ("key", State.IN_REVIEW),
    ],
)
def test_an_edit_is_reviewed_again_where_nobody_has_solved_its_key(cast: Cast, changed: str, to: str) -> None:
    item = submit_item(cast)
    review = answered(cast, cast.reviewer, Stage.CROSS_CHECK)
    before = revision_content(wording(item))
    options = list(before.options)
    number = next(n for n, option in enumerate(options) if option.is_key == (changed == "key"))
    options[number] = replace(options[number], text=f"{options[number].text}, as it were")
    edit = (
        replace(before, stem="Why did it doze?")
        if changed == "stem"
        else replace(before, options=tuple(options))
    )
    send_verdict(actor=cast.reviewer, review=review, rating=1, disposition=Disposition.EDIT, edit=edit)
    assert (state(item), wording(item).number) == (to, 2)
