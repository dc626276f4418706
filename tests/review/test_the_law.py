"""The one law: nobody judges an item after writing any revision of it. Held by the database alone.

Every attempt here is raw SQL: no service, no model is between it and the tables.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from annotation.models import Item, Revision
from review.models import Answer, Review, ReviewRequest, Stage
from review.services import claim_next, solve
from tests.factories import Cast, make_project, submit_item


def run(sql: str, *params: int | str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def refused(sql: str, *params: int | str, by: str = "") -> None:
    with pytest.raises(Exception, match=by) as error, transaction.atomic():
        run(sql, *params)
    assert isinstance(error.value.__cause__, psycopg.errors.IntegrityError), error.value


CLAIM = (
    "UPDATE review_reviewrequest SET state = 'claimed', claimed_by_id = %s, claimed_at = now(),"
    " lease_expires_at = now() + interval '1 hour' WHERE id = %s"
)
REVIEW = """
INSERT INTO review_review (request_id, item_id, revision_id, stage, reviewer_id, answer, drawn_order,
    several_positions, option_marks, blind, misclick, flaws, comment, disposition, seconds, created_at)
SELECT id, item_id, revision_id, stage, %s, '', '{}', '{}', '{}', true, false, '{}', '', '', 0, now()
FROM review_reviewrequest WHERE id = %s
"""
REVISION = """
INSERT INTO annotation_revision (item_id, number, based_on_id, author_id, story_revision_id, stem,
    explanation, answered_warnings, created_at)
SELECT item_id, number + 1, id, %s, story_revision_id, stem, explanation, '{}', now()
FROM annotation_revision WHERE id = %s
"""


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def test_it_refuses_a_claim_by_an_author(cast: Cast) -> None:
    submit_item(cast)
    request = ReviewRequest.objects.get()
    refused(CLAIM, cast.writer.pk, request.pk, by="the_one_law|may not judge")
    run(CLAIM, cast.reviewer.pk, request.pk)


@pytest.mark.parametrize("stage", ["cross_check", "verification", "adjudication"])
def test_it_refuses_a_review_by_an_author_at_every_stage(cast: Cast, stage: str) -> None:
    submit_item(cast)
    request = ReviewRequest.objects.get()
    run("UPDATE review_reviewrequest SET stage = %s WHERE id = %s", stage, request.pk)
    refused(REVIEW, cast.writer.pk, request.pk, by="may not judge")
    run(REVIEW, cast.reviewer.pk, request.pk)


def test_it_refuses_to_hand_a_review_to_an_author(cast: Cast) -> None:
    submit_item(cast)
    request = ReviewRequest.objects.get()
    run(REVIEW, cast.reviewer.pk, request.pk)
    refused("UPDATE review_review SET reviewer_id = %s", cast.writer.pk, by="may not judge")


def test_it_refuses_a_verdict_after_its_reviewer_became_an_author(cast: Cast) -> None:
    item = submit_item(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    solve(actor=cast.reviewer, request=request, answer=Answer.NONE_FITS)
    revision = Revision.objects.get()
    run(REVISION, cast.reviewer.pk, revision.pk)
    copy_options(item)
    refused("UPDATE review_review SET rating = 2", by="may not judge")
    refused("UPDATE review_review SET disposition = 'pass', judged_at = now()", by="may not judge")
    request.refresh_from_db()
    assert (request.state, request.claimed_by) == ("open", None), "the author's claim is closed"
    assert cast.reviewer.pk in request.excluded
    Review.objects.update(misclick=True)  # what is no judgement stays possible


def test_it_refuses_a_review_of_another_item_than_its_place(cast: Cast) -> None:
    first, second = submit_item(cast), submit_item(cast)
    request = ReviewRequest.objects.get(item=first)
    run(REVIEW, cast.reviewer.pk, request.pk)
    refused("UPDATE review_review SET item_id = %s", second.pk, by="another revision")
    refused(
        "UPDATE review_reviewrequest SET item_id = %s WHERE id = %s", second.pk, request.pk, by="another item"
    )


def test_a_review_has_the_project_of_its_request_whatever_is_said(cast: Cast) -> None:
    submit_item(cast)
    run(REVIEW, cast.reviewer.pk, ReviewRequest.objects.get().pk)
    assert Review.objects.get().project == cast.project
    other = make_project().project
    run("UPDATE review_review SET project_id = %s", other.pk)
    assert Review.objects.get().project == cast.project


def test_it_refuses_two_reviews_by_one_person_at_one_stage(cast: Cast) -> None:
    submit_item(cast)
    request = ReviewRequest.objects.get()
    run(REVIEW, cast.reviewer.pk, request.pk)
    refused(REVIEW, cast.reviewer.pk, request.pk, by="review_once")


# --- two transactions that race ---------------------------------------------------------------


def in_another_connection(
    work: Callable[[psycopg.Cursor[Any]], object],
) -> tuple[threading.Thread, list[Any]]:
    """Run `work` in a transaction of its own; what it raises, or None, is left in the list."""
    result: list[Any] = []
    parameters = connection.get_connection_params()

    def body() -> None:
        keep = {key: value for key, value in parameters.items() if key not in {"context", "cursor_factory"}}
        with psycopg.connect(**keep) as other, other.cursor() as cursor:
            try:
                work(cursor)
                other.commit()
                result.append(None)
            except psycopg.Error as error:
                result.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    return thread, result


@pytest.fixture
def settled(transactional_db: None) -> Cast:
    return make_project()


def test_it_holds_when_a_revision_and_a_review_race(settled: Cast) -> None:
    """The revision's transaction is first; the review waits for it, sees it, and is refused."""
    item = submit_item(settled)
    request, revision = ReviewRequest.objects.get(), Revision.objects.get()
    with transaction.atomic():
        run(REVISION, settled.reviewer.pk, revision.pk)
        copy_options(item)
        thread, result = in_another_connection(
            lambda cursor: cursor.execute(REVIEW, (settled.reviewer.pk, request.pk))
        )
        time.sleep(0.3)
        assert thread.is_alive(), "the review waits for the revision's transaction"
    thread.join(10)
    assert isinstance(result[0], psycopg.errors.CheckViolation)
    assert not Review.objects.exists()


def test_it_lets_a_review_that_came_first_stand(settled: Cast) -> None:
    """The review's transaction is first; the revision waits, and closes the claim when it comes."""
    item = submit_item(settled)
    request, revision = ReviewRequest.objects.get(), Revision.objects.get()

    def revise(cursor: psycopg.Cursor[Any]) -> None:
        cursor.execute(REVISION, (settled.reviewer.pk, revision.pk))
        cursor.execute(OPTIONS, (item.pk,))
        cursor.execute(TYPES, (item.pk,))

    with transaction.atomic():
        run(CLAIM, settled.reviewer.pk, request.pk)
        run(REVIEW, settled.reviewer.pk, request.pk)
        thread, result = in_another_connection(revise)
        time.sleep(0.3)
        assert thread.is_alive(), "the revision waits for the review's transaction"
    thread.join(10)
    assert result == [None]
    request.refresh_from_db()
    assert (request.state, request.claimed_by) == ("open", None)
    refused("UPDATE review_review SET rating = 2", by="may not judge")


def test_it_holds_when_a_revision_and_a_claim_race(settled: Cast) -> None:
    item = submit_item(settled)
    request, revision = ReviewRequest.objects.get(), Revision.objects.get()
    with transaction.atomic():
        run(REVISION, settled.reviewer.pk, revision.pk)
        copy_options(item)
        thread, result = in_another_connection(
            lambda cursor: cursor.execute(CLAIM, (settled.reviewer.pk, request.pk))
        )
        time.sleep(0.3)
    thread.join(10)
    assert isinstance(result[0], psycopg.errors.CheckViolation)
    request.refresh_from_db()
    assert request.state == "open"


OPTIONS = """
INSERT INTO annotation_option (revision_id, position, text, normalised, is_key)
SELECT newest.id, option.position, option.text, option.normalised, option.is_key
FROM annotation_option option JOIN annotation_revision old ON old.id = option.revision_id
JOIN annotation_revision newest ON newest.item_id = old.item_id AND newest.number = 2
WHERE old.number = 1 AND old.item_id = %s
"""
TYPES = """
INSERT INTO annotation_revisiontype (revision_id, type_id)
SELECT newest.id, link.type_id
FROM annotation_revisiontype link JOIN annotation_revision old ON old.id = link.revision_id
JOIN annotation_revision newest ON newest.item_id = old.item_id AND newest.number = 2
WHERE old.number = 1 AND old.item_id = %s
"""


def copy_options(item: Item) -> None:
    """Give an item's second revision the options and types of its first, so that it is whole."""
    run(OPTIONS, item.pk)
    run(TYPES, item.pk)
