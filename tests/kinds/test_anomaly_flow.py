"""An anomaly goes from the desk through a blind answer, a verdict and a ruling, each on its own form."""

from __future__ import annotations

import json
import uuid

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.models import Item, ItemDraft, RevisionAuthor, Span, State
from annotation.queries.item import revision_content
from parable.kinds.comparison import Pick
from review.models import AnswerDraft, AnswerSpan, Disposition, Review, ReviewRequest, Stage
from review.services import claim_next, send_ruling, send_verdict, solve
from tests.annotation.sheets import draft_api, draft_page, sheet, write_page
from tests.factories import Cast, wording
from tests.kinds.marked import OTHER, TEXT, WRITTEN, marked, marked_story, marks_project, own, submit_marks

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return marks_project()


def claim(cast: Cast, stage: Stage) -> ReviewRequest:
    person = {Stage.CROSS_CHECK: cast.reviewer, Stage.VERIFICATION: cast.verifier}.get(stage, cast.manager)
    request = claim_next(actor=person, project=cast.project, stage=stage)
    assert request is not None
    return request


def page_of(cast: Cast, request: ReviewRequest, name: str = "request") -> str:
    return reverse(f"review:{name}", args=[cast.project.slug, request.public_id])


def test_it_is_submitted_with_what_the_script_wrote(cast: Cast, client: Client) -> None:
    client.force_login(cast.writer)
    story = marked_story(cast)
    page = client.get(write_page(cast, story.pk)).content.decode()
    assert "data-marking" in page
    assert 'id="stem"' not in page
    sent = sheet(story, marked(), task="anomaly_spans", own=json.dumps(own(WRITTEN, OTHER)))
    assert client.post(draft_page(cast, uuid.uuid4()), sent).status_code == 302
    item = Item.objects.get()
    assert item.state == State.IN_REVIEW
    rows = Span.objects.filter(revision=item.current).values_list("group", "role", "text", "positions")
    assert list(rows) == [
        (0, "S1", "香油", [4, 5]),
        (0, "P1", "瓶子边", [0, 1, 2]),
        (0, "E1", "是", [3]),
        (1, "S1", "鸡蛋", [11, 12]),
        (1, "P1", "包裹里", [7, 8, 9]),
        (1, "E1", "是", [10]),
    ]


def test_it_is_submitted_in_words_without_script(cast: Cast, client: Client) -> None:
    client.force_login(cast.writer)
    story = marked_story(cast)
    assert "mark-answer-0-0" in client.get(write_page(cast, story.pk)).content.decode()
    words = {f"mark-answer-0-{index}": typed for index, typed in enumerate(WRITTEN.values())}
    sent = sheet(story, marked(), task="anomaly_spans", marked_text=TEXT, **words)
    assert client.post(draft_page(cast, uuid.uuid4()), sent).status_code == 302
    assert revision_content(wording(Item.objects.get())).own == own(WRITTEN)


def test_words_that_are_not_in_the_text_are_kept_and_refused(cast: Cast, client: Client) -> None:
    client.force_login(cast.writer)
    story = marked_story(cast)
    sent = sheet(story, marked(), task="anomaly_spans", marked_text=TEXT, **{"mark-answer-0-0": "鸭蛋"})
    refused = client.post(draft_page(cast, uuid.uuid4()), sent)
    assert refused.status_code == 400
    assert "The fragment has no characters." in refused.content.decode()
    assert ItemDraft.objects.get().content["own"]["answer"][0][0]["text"] == "鸭蛋"


def test_a_draft_of_marks_saves_itself(cast: Cast, client: Client) -> None:
    client.force_login(cast.writer)
    story, draft = marked_story(cast), uuid.uuid4()
    body = {
        "project": cast.project.slug,
        "story": story.pk,
        "task": "anomaly_spans",
        "sequence": 1,
        "content": {"own": own(WRITTEN) | {"noise": 1}},
    }
    saved = client.put(draft_api(draft), body, content_type="application/json")
    assert saved.status_code == 200
    assert ItemDraft.objects.get().content["own"] == own(WRITTEN)


def test_a_reviewer_sees_the_text_and_no_mark_before_the_answer(cast: Cast, client: Client) -> None:
    submit_marks(cast)
    request = claim(cast, Stage.CROSS_CHECK)
    client.force_login(cast.reviewer)
    page = client.get(page_of(cast, request)).content.decode()
    assert TEXT in page
    assert "香油 瓶子" not in page
    assert '"value": {"answer": []}' in page
    assert cast.writer.name not in page


def test_an_answer_is_rows_of_the_review_and_is_compared(cast: Cast, client: Client) -> None:
    submit_marks(cast)
    request = claim(cast, Stage.CROSS_CHECK)
    client.force_login(cast.reviewer)
    client.post(page_of(cast, request, "solve"), {"own": json.dumps(own(WRITTEN))})
    review = Review.objects.get()
    assert (review.is_correct, review.score, review.answer) == (True, 1.0, "own")
    assert list(review.answer_spans.values_list("role", "positions")) == [
        ("S1", [4, 5]),
        ("P1", [0, 1, 2]),
        ("E1", [3]),
    ]
    page = client.get(page_of(cast, request)).content.decode()
    assert "Both answers" in page
    assert "Your answer agrees with the writer" in page


def test_differences_are_marked_and_settled_by_a_ruling(cast: Cast, client: Client) -> None:
    item = submit_marks(cast)
    request = claim(cast, Stage.CROSS_CHECK)
    client.force_login(cast.reviewer)
    client.post(page_of(cast, request, "solve"), {"own": json.dumps(own(OTHER))})
    review = Review.objects.get()
    assert (review.is_correct, review.score) == (False, 0.0)
    assert "only here" in client.get(page_of(cast, request)).content.decode()
    send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
    item.refresh_from_db()
    assert item.state == State.IN_ADJUDICATION
    ruling = claim(cast, Stage.ADJUDICATION)
    client.force_login(cast.manager)
    page = client.get(page_of(cast, ruling)).content.decode()
    assert 'name="pick" value="0:0"' in page
    assert 'name="pick" value="1:0"' in page
    sent = {"disposition": "edit", "comment": "Both are wrong places.", "pick": ["0:0", "1:0"]}
    assert client.post(page_of(cast, ruling, "ruling"), sent).status_code == 302
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    assert revision_content(wording(item)).own == own(WRITTEN, OTHER)
    assert RevisionAuthor.objects.wrote(cast.manager, item.pk)


def test_a_ruling_merges_only_what_there_is(cast: Cast) -> None:
    submit_marks(cast)
    request = claim(cast, Stage.CROSS_CHECK)
    review = solve(actor=cast.reviewer, request=request, answer="own", own=own(OTHER))
    send_verdict(actor=cast.reviewer, review=review, disposition=Disposition.PASS, rating=2)
    ruling = claim(cast, Stage.ADJUDICATION)
    for picks, said in (
        ((), "Pick what"),
        ((Pick(0, 0),), "own answer"),
        ((Pick(2, 0),), "have changed"),
    ):
        with pytest.raises(Exception) as refused:
            send_ruling(actor=cast.manager, request=ruling, disposition="edit", comment="Why.", picks=picks)
        assert said in getattr(refused.value, "fields", {})["picks"]


def test_an_answer_that_contradicts_itself_is_refused(cast: Cast, client: Client) -> None:
    submit_marks(cast)
    request = claim(cast, Stage.CROSS_CHECK)
    client.force_login(cast.reviewer)
    outside = {"answer": [[{"role": "S1", "text": "x", "positions": [99]}]]}
    refused = client.post(page_of(cast, request, "solve"), {"own": json.dumps(outside)})
    assert refused.status_code == 400
    assert "Position 99 is outside the text" in refused.content.decode()
    empty = client.post(page_of(cast, request, "solve"), {"own": "{}"})
    assert "Mark at least one fragment first." in empty.content.decode()
    assert not Review.objects.exists()


def test_an_answer_that_was_begun_is_kept_until_it_is_sent(cast: Cast, client: Client) -> None:
    submit_marks(cast)
    request = claim(cast, Stage.CROSS_CHECK)
    client.force_login(cast.reviewer)
    address = reverse("api_begun_answer", args=[cast.project.slug, request.public_id])
    for number, words in ((2, WRITTEN), (1, OTHER)):
        body = {"sequence": number, "content": own(words)}
        assert client.put(address, body, content_type="application/json").json()["sequence"] == 2
    assert AnswerDraft.objects.get().content == own(WRITTEN)
    assert "瓶子边" in client.get(page_of(cast, request)).content.decode().split('"value"')[1]
    client.post(page_of(cast, request, "solve"), {"own": json.dumps(own(WRITTEN))})
    assert not AnswerDraft.objects.exists()
    late = client.put(address, {"sequence": 9, "content": own(OTHER)}, content_type="application/json")
    assert late.json() == {"sequence": 0, "sent": True}


def test_the_database_refuses_marks_outside_the_text_and_changes(cast: Cast) -> None:
    item = submit_marks(cast)
    request = claim(cast, Stage.CROSS_CHECK)
    review = solve(actor=cast.reviewer, request=request, answer="own", own=own(WRITTEN))
    for make in (
        lambda: Span.objects.create(
            revision=wording(item), layer="answer", group=5, number=0, role="S1", positions=[len(TEXT)]
        ),
        lambda: AnswerSpan.objects.create(
            review=review, layer="answer", group=5, number=0, role="S1", positions=[-1]
        ),
        lambda: Span.objects.create(revision=wording(item), layer="answer", group=5, number=0, role="S1"),
        lambda: Span.objects.create(
            revision=wording(item), layer="answer", group=0, number=7, role="S1", positions=[1]
        ),
        lambda: Span.objects.update(label="x"),
        lambda: AnswerSpan.objects.all().delete(),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            make()
