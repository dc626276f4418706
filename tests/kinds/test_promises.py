"""The promises that hold for every kind of item: the one law, blindness, and that nothing typed is lost."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.content import to_json
from annotation.models import Item, ItemDraft, KeyExposure, State
from annotation.queries.item import present_words, revision_content
from annotation.services import add_comment, begin_again, revise_item, submit_draft
from annotation.services.draft import save_draft
from core.errors import Conflict, ParableError, Unusable
from parable.kinds import KINDS
from projects.models import Membership, Role
from review.models import AnswerDraft, Disposition, Review, ReviewRequest, Stage
from review.services import claim_next, send_ruling, send_verdict, solve
from tests.annotation.sheets import draft_api, draft_page, write_page
from tests.factories import Cast, wording
from tests.kinds.samples import SAMPLES, Sample, draft_of

pytestmark = pytest.mark.django_db


def kinds_have_samples() -> list[str]:
    """Every kind of the registry; one without a sample fails here."""
    return [*KINDS]


@pytest.fixture(params=kinds_have_samples())
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


@pytest.fixture
def cast(sample: Sample) -> Cast:
    return sample.project()


def claim(cast: Cast, person: User, stage: Stage = Stage.CROSS_CHECK) -> ReviewRequest:
    found = claim_next(actor=person, project=cast.project, stage=stage)
    assert found is not None
    return found


def reviewers(cast: Cast, item: Item) -> list[User]:
    """As many as the item wants."""
    wanted = item.review_requests.filter(stage=Stage.CROSS_CHECK).count()
    return [cast.reviewer, cast.reviewer2][:wanted]


def check(cast: Cast, sample: Sample, item: Item, *, right: bool = True, **verdict: Any) -> None:
    """Every reviewer that the item wants answers and judges it."""
    for person in reviewers(cast, item):
        request = claim(cast, person)
        review = solve(actor=person, request=request, **sample.answer_to(request, right=right))
        send_verdict(
            actor=person, review=review, **{"disposition": Disposition.PASS, **sample.verdict, **verdict}
        )
    item.refresh_from_db()


# --- a kind's own content ---


def test_what_is_submitted_is_read_back_as_it_was(sample: Sample, cast: Cast) -> None:
    item = sample.submit(cast)
    read = revision_content(wording(item), sample.task)
    assert (read.own, read.options, read.explanation) == (
        sample.words.own,
        sample.words.options,
        sample.words.explanation,
    )


def verify(cast: Cast, sample: Sample, item: Item) -> None:
    """Bring an item in review through all looks that it wants."""
    check(cast, sample, item)
    assert item.state == State.IN_VERIFICATION
    request = claim(cast, cast.verifier, Stage.VERIFICATION)
    review = solve(actor=cast.verifier, request=request, **sample.answer_to(request))
    marks: dict[str, Any] = {}
    if KINDS[sample.task].marks_each_option:
        marks["option_marks"] = [sample.words.options[place].is_key for place in request.drawn_order]
    send_verdict(actor=cast.verifier, review=review, disposition=Disposition.PASS, **marks)
    item.refresh_from_db()


def test_it_goes_through_review_and_verification(sample: Sample, cast: Cast) -> None:
    item = sample.submit(cast)
    verify(cast, sample, item)
    assert item.state == State.VERIFIED


def test_another_answer_goes_to_adjudication(sample: Sample, cast: Cast) -> None:
    item = sample.submit(cast)
    check(cast, sample, item, right=False)
    assert item.state == State.IN_ADJUDICATION
    request = claim(cast, cast.manager, Stage.ADJUDICATION)
    send_ruling(actor=cast.manager, request=request, disposition=Disposition.PASS, comment="It is right.")
    item.refresh_from_db()
    assert item.state == State.VERIFIED


# --- the one law ---


def let_review(cast: Cast, writer: User) -> None:
    """Give a writer the role of a reviewer as well, so that nothing but the law is in the way."""
    Membership.objects.create(project=cast.project, user=writer, role=Role.REVIEWER)


def test_nobody_reviews_what_they_wrote(sample: Sample, cast: Cast) -> None:
    item = sample.submit(cast)
    let_review(cast, cast.writer)
    assert claim_next(actor=cast.writer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    request = ReviewRequest.objects.filter(item=item).first()
    assert request is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.create(
            request=request, item=item, revision=item.current, stage=request.stage, reviewer=cast.writer
        )


def test_who_typed_into_its_draft_is_bound_as_well(sample: Sample, cast: Cast) -> None:
    story, number = sample.story(cast), uuid.uuid4()
    about: dict[str, Any] = {
        "project": cast.project, "story": story, "task": sample.task, "client_id": number,
    }  # fmt: skip
    save_draft(actor=cast.writer2, **about, sequence=1, content=draft_of(sample))
    draft = save_draft(actor=cast.writer, **about, sequence=1, content=_json(sample))
    item = submit_draft(actor=cast.writer, draft=draft)
    let_review(cast, cast.writer2)
    assert claim_next(actor=cast.writer2, project=cast.project, stage=Stage.CROSS_CHECK) is None
    assert cast.writer2.pk in item.review_requests.values_list("excluded", flat=True)[0]


def test_who_rewords_it_never_judges_it_again(sample: Sample, cast: Cast) -> None:
    if sample.changed is None:
        pytest.skip("kinds with options have their own tests of edits")
    item = sample.submit(cast)
    people = reviewers(cast, item)
    for person in people:
        request = claim(cast, person)
        review = solve(actor=person, request=request, **sample.answer_to(request))
        is_first = person == people[0]
        verdict = {"disposition": Disposition.EDIT, "edit": sample.changed} if is_first else {}
        send_verdict(
            actor=person, review=review, **{"disposition": Disposition.PASS, **sample.verdict, **verdict}
        )
    item.refresh_from_db()
    assert present_words(item).own == sample.changed.own
    assert item.state == State.IN_REVIEW, "what is to be found out has changed: it is answered afresh"
    assert claim_next(actor=people[0], project=cast.project, stage=Stage.CROSS_CHECK) is None


# --- blindness ---


def page(cast: Cast, request: ReviewRequest, name: str = "request") -> str:
    return reverse(f"review:{name}", args=[cast.project.slug, request.public_id])


def test_no_page_shows_the_answer_before_it_is_given(sample: Sample, cast: Cast, client: Client) -> None:
    sample.submit(cast)
    request = claim(cast, cast.reviewer)
    client.force_login(cast.reviewer)
    response = client.get(page(cast, request)).content.decode()
    for secret in (*sample.secrets, cast.writer.name, "Slow and steady wins."):
        if secret not in {option.text for option in sample.words.options}:
            assert secret not in response, secret
    assert not KeyExposure.objects.filter(user=cast.reviewer).exists()
    assert client.get(page(cast, request, "verdict")).status_code == 405
    assert client.post(page(cast, request, "verdict"), {"disposition": "pass"}).status_code == 409


def test_the_answer_shows_the_key_and_ends_blindness(sample: Sample, cast: Cast, client: Client) -> None:
    sample.submit(cast)
    request = claim(cast, cast.reviewer)
    review = solve(actor=cast.reviewer, request=request, **sample.answer_to(request))
    assert (review.blind, review.is_correct, review.score) == (True, True, 1.0)
    assert KeyExposure.objects.filter(user=cast.reviewer).exists()
    client.force_login(cast.reviewer)
    response = client.get(page(cast, request)).content.decode()
    assert all(secret in response for secret in sample.secrets[:1] if secret.endswith("."))
    again = solve(actor=cast.reviewer, request=request, **sample.answer_to(request, right=False))
    assert again == review, "an answer is final"


def test_who_was_shown_an_answer_is_not_blind_to_the_next_wording(sample: Sample, cast: Cast) -> None:
    item = sample.submit(cast)
    check(cast, sample, item, disposition=Disposition.RETURN, comment="Once more.")
    assert item.state == State.RETURNED
    add_comment(actor=cast.writer, item=item, text="It is right as it is.")
    revise_item(actor=cast.writer, item=item, content=sample.words)
    request = claim(cast, cast.reviewer)
    review = solve(actor=cast.reviewer, request=request, **sample.answer_to(request))
    assert review.blind is False


def test_a_returned_item_does_not_go_back_as_it_was(sample: Sample, cast: Cast) -> None:
    item = sample.submit(cast)
    check(cast, sample, item, disposition=Disposition.RETURN, comment="Once more.")
    draft = save_draft(
        actor=cast.writer, project=cast.project, story=item.story, task=item.task, style=item.style,
        item=item, client_id=uuid.uuid4(), sequence=1,
        content=to_json(begin_again(present_words(item), item)),
    )  # fmt: skip
    with pytest.raises(Unusable, match="Nothing has changed"):
        submit_draft(actor=cast.writer, draft=draft)


# --- nothing typed is lost ---


def _json(sample: Sample) -> dict[str, Any]:
    return to_json(sample.words)


def save(client: Client, cast: Cast, sample: Sample, draft: uuid.UUID, **more: Any) -> Any:
    body = {"project": cast.project.slug, "task": sample.task, "sequence": 1, **more}
    return client.put(draft_api(draft), json.dumps(body), content_type="application/json")


def test_half_a_draft_is_kept_as_it_was_typed(sample: Sample, cast: Cast, client: Client) -> None:
    client.force_login(cast.writer)
    story, draft = sample.story(cast), uuid.uuid4()
    if KINDS[sample.task].key_from_moral:
        client.post(write_page(cast, story.pk, "/moral"))
    sent = draft_of(sample)
    assert save(client, cast, sample, draft, story=story.pk, content=sent).status_code == 200
    kept = ItemDraft.objects.get().content
    assert {name: kept.get(name, {}) for name in sent} == sent
    assert client.get(draft_page(cast, draft)).status_code in {200, 302}


def test_a_save_that_was_overtaken_gets_the_other_words_back(
    sample: Sample, cast: Cast, client: Client
) -> None:
    client.force_login(cast.writer)
    story, draft = sample.story(cast), uuid.uuid4()
    save(client, cast, sample, draft, story=story.pk, content=_json(sample))
    refused = save(client, cast, sample, draft, story=story.pk, content=draft_of(sample))
    assert refused.status_code == 409
    assert refused.json()["content"] == ItemDraft.objects.get().content
    assert refused.json()["same_text"] is False


def test_words_after_a_submission_become_a_draft_of_their_own(
    sample: Sample, cast: Cast, client: Client
) -> None:
    story, number = sample.story(cast), uuid.uuid4()
    about: dict[str, Any] = {
        "project": cast.project, "story": story, "task": sample.task, "client_id": number,
    }  # fmt: skip
    draft = save_draft(actor=cast.writer, **about, sequence=1, content=_json(sample))
    submit_draft(actor=cast.writer, draft=draft)
    client.force_login(cast.writer)
    late = save(client, cast, sample, number, story=story.pk, sequence=2, content=draft_of(sample))
    assert (late.status_code, late.json()["submitted"]) == (409, True)
    body = {"project": cast.project.slug, "task": sample.task, "story": story.pk, "sequence": 2}
    kept = client.post(
        f"{draft_api(number)}separate/",
        json.dumps(body | {"content": draft_of(sample)}),
        content_type="application/json",
    )
    assert kept.status_code == 200
    assert ItemDraft.objects.filter(submitted_as=None).count() == 1


def test_a_begun_answer_is_kept_where_answering_takes_a_while(
    sample: Sample, cast: Cast, client: Client
) -> None:
    sample.submit(cast)
    request = claim(cast, cast.reviewer)
    client.force_login(cast.reviewer)
    address = reverse("api_begun_answer", args=[cast.project.slug, request.public_id])
    body = {"sequence": 1, "content": dict(sample.answer)}
    kept = client.put(address, json.dumps(body), content_type="application/json")
    if sample.has_options:
        assert kept.status_code == 409
        return
    assert AnswerDraft.objects.get().content == sample.answer
    solve(actor=cast.reviewer, request=request, **sample.answer_to(request))
    assert not AnswerDraft.objects.exists()


def test_a_refused_verdict_keeps_what_was_said(sample: Sample, cast: Cast, client: Client) -> None:
    sample.submit(cast)
    request = claim(cast, cast.reviewer)
    solve(actor=cast.reviewer, request=request, **sample.answer_to(request))
    client.force_login(cast.reviewer)
    refused = client.post(page(cast, request, "verdict"), {"comment": "Half a remark", "disposition": "pass"})
    assert refused.status_code == 400
    assert "Half a remark" in refused.content.decode()
    with pytest.raises((Conflict, ParableError)):
        send_verdict(actor=cast.reviewer, review=Review.objects.get(), disposition="pass")
