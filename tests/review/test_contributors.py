"""Everybody who saved words into a draft is bound by the law as its authors are, by the database alone."""

import time
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connection, transaction

from accounts.models import User
from accounts.services import get_or_create_placeholder
from annotation.content import to_json
from annotation.models import DraftContributor, Item, ItemDraft, KeyExposure, Revision, RevisionAuthor
from annotation.permissions import may_see_item
from annotation.services import hand_over_work, import_items, save_draft, submit_draft
from annotation.services.draft import add_contributors, keep_apart
from core.errors import Conflict, Unusable
from corpus.models import Story
from parable.formats.records import ItemRecord, Reading, Row
from projects.models import Role
from projects.services import set_roles
from review.models import PracticeItem, ReviewRequest, Stage
from review.queries.practice import practice_fits
from review.services import claim_next
from review.services.substitute import name_substitute
from tests.factories import Cast, content, make_project, make_story
from tests.review.test_the_law import (
    CLAIM,
    REVIEW,
    in_another_connection,
    refused,
    run,
)

WHOLE = to_json(content())
AUTHOR = "INSERT INTO annotation_revisionauthor (revision_id, user_id) VALUES (%s, %s)"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def saved(
    cast: Cast,
    who: User,
    *,
    words: dict[str, Any] = WHOLE,
    story: Story | None = None,
    client_id: UUID | None = None,
    sequence: int = 1,
    item: Item | None = None,
    task: str = "commonsense",
) -> ItemDraft:
    """Save these words into a draft."""
    return save_draft(
        actor=who,
        project=cast.project,
        story=item.story if item else story or make_story(cast),
        task=task,
        client_id=client_id or uuid4(),
        sequence=sequence,
        content=words,
        item=item,
    )


def typed_then_handed_over(cast: Cast, *, task: str = "commonsense") -> Item:
    """An item that the writer typed, who reviews too, and that another writer submitted unchanged."""
    set_roles(actor=cast.manager, project=cast.project, user=cast.writer, roles=[Role.WRITER, Role.REVIEWER])
    words = WHOLE if task == "commonsense" else to_json(content(types=(), explanation=""))
    draft = saved(cast, cast.writer, words=words, task=task)
    hand_over(cast, cast.writer, cast.writer2)
    draft.refresh_from_db()
    return submit_draft(actor=cast.writer2, draft=draft)


def hand_over(cast: Cast, departing: User, receiver: User) -> None:
    hand_over_work(actor=cast.manager, project=cast.project, departing=departing, receiver=receiver)


def authors(item: Item) -> set[int]:
    found = set(RevisionAuthor.objects.filter(revision__item=item).values_list("user", flat=True))
    assert found == set(RevisionAuthor.objects.filter(item=item).values_list("user", flat=True))
    return found


def contributors(draft: ItemDraft) -> set[int]:
    return set(DraftContributor.objects.filter(draft=draft).values_list("user", flat=True))


def test_it_gives_who_typed_a_draft_no_place_of_the_item_that_another_submitted(cast: Cast) -> None:
    item = typed_then_handed_over(cast)
    assert (item.writer, item.current and item.current.author) == (cast.writer2, cast.writer2)
    assert authors(item) == {cast.writer.pk, cast.writer2.pk}
    assert claim_next(actor=cast.writer, project=cast.project, stage=Stage.CROSS_CHECK) is None
    request = ReviewRequest.objects.get()
    assert cast.writer.pk in request.excluded
    refused(CLAIM, cast.writer.pk, request.pk, by="may not judge")
    for stage in Stage:
        run("UPDATE review_reviewrequest SET stage = %s WHERE id = %s", stage, request.pk)
        refused(REVIEW, cast.writer.pk, request.pk, by="may not judge")
    run("UPDATE review_reviewrequest SET stage = 'cross_check' WHERE id = %s", request.pk)
    with pytest.raises(Unusable):
        name_substitute(actor=cast.manager, request=request, person=cast.writer)
    assert may_see_item(cast.writer, item), "it is theirs to see"
    run(REVIEW, cast.reviewer.pk, request.pk)
    refused("UPDATE review_review SET reviewer_id = %s", cast.writer.pk, by="may not judge")


def test_it_takes_the_blindness_of_all_who_wrote_a_moral_item(cast: Cast) -> None:
    item = typed_then_handed_over(cast, task="moral")
    exposed = KeyExposure.objects.filter(story=item.story, task="moral").values_list("user", flat=True)
    assert {cast.writer.pk, cast.writer2.pk} <= set(exposed)


def test_it_counts_a_save_that_changes_words_and_no_other(cast: Cast) -> None:
    draft = saved(cast, cast.writer)
    hand_over(cast, cast.writer, cast.writer2)
    saved(cast, cast.writer2, client_id=draft.client_id, story=draft.story, sequence=2)
    assert contributors(draft) == {cast.writer.pk}, "the same words again are no contribution"
    other = WHOLE | {"stem": "Something else entirely?", "options": [], "explanation": ""}
    saved(cast, cast.writer2, client_id=draft.client_id, story=draft.story, sequence=3, words=other)
    assert contributors(draft) == {cast.writer.pk, cast.writer2.pk}, (
        "words that are replaced count all the same"
    )


def test_it_carries_contributors_on_to_drafts_made_from_drafts(cast: Cast) -> None:
    draft = saved(cast, cast.writer)
    hand_over(cast, cast.writer, cast.writer2)
    window = saved(cast, cast.writer, client_id=draft.client_id, story=draft.story, sequence=2)
    assert window.pk != draft.pk, "the leaver's open window goes on as a draft of their own"
    with pytest.raises(Conflict):  # who has this very draft is not given it twice
        hand_over(cast, cast.writer, cast.writer2)

    apart = keep_apart(
        actor=cast.writer2,
        project=cast.project,
        story=draft.story,
        task=draft.task,
        client_id=draft.client_id,
        content=WHOLE | {"stem": "Kept apart?"},
    )
    assert contributors(apart) == {cast.writer.pk, cast.writer2.pk}


def test_it_carries_on_who_brought_and_who_began_a_keyless_item(cast: Cast) -> None:
    record = ItemRecord(
        id="k-1",
        task="commonsense",
        story_id=None,
        title="The Crow",
        story="A crow sat in a tree.",
        question="Why?",
        choices=("a", "b", "c", "d"),
        answer=None,
        types=("social",),
    )

    def bring(one: ItemRecord, by: User) -> None:
        import_items(
            actor=cast.manager,
            project=cast.project,
            readings=[Reading("x.jsonl", "parable", (Row(1, one),), ())],
            state="in_review",
            writer=by,
        )

    bring(record, cast.writer)
    item = Item.objects.get()
    begun = saved(cast, cast.manager, item=item)
    assert contributors(begun) == {cast.writer.pk, cast.manager.pk}
    assert authors(submit_draft(actor=cast.manager, draft=begun)) == {cast.writer.pk, cast.manager.pk}


def test_an_import_that_replaces_a_draft_keeps_those_who_typed_in_it_as_authors(cast: Cast) -> None:
    keyless = ItemRecord(
        id="k-1",
        task="commonsense",
        story_id=None,
        title="The Crow",
        story="A crow sat in a tree.",
        question="Why?",
        choices=("a", "b", "c", "d"),
        answer=None,
        types=("social",),
    )
    placeholder = get_or_create_placeholder(actor=cast.manager, name="Somebody of old")
    for record in (keyless, replace(keyless, answer=0, explanation="It says so.")):
        import_items(
            actor=cast.manager,
            project=cast.project,
            readings=[Reading("x.jsonl", "parable", (Row(1, record),), ())],
            state="in_review",
            writer=placeholder if record is keyless else cast.writer2,
        )
        if record is keyless:
            add_contributors(ItemDraft.objects.get(), {cast.manager.pk})
    item = Item.objects.get()
    assert item.current is not None
    assert authors(item) == {placeholder.pk, cast.writer2.pk, cast.manager.pk}


def test_it_makes_authors_of_contributors_also_from_other_code(cast: Cast) -> None:
    item, draft = typed_then_handed_over(cast), saved(cast, cast.reviewer)
    assert authors(item) == {cast.writer.pk, cast.writer2.pk}
    request = ReviewRequest.objects.get()
    run(CLAIM, cast.reviewer.pk, request.pk)
    revision = Revision.objects.get()
    run("UPDATE annotation_itemdraft SET submitted_as_id = %s WHERE id = %s", revision.pk, draft.pk)
    assert cast.reviewer.pk in authors(item)
    request.refresh_from_db()
    assert (request.state, request.claimed_by) == ("open", None), (
        "the claim of who became an author is closed"
    )
    assert cast.reviewer.pk in request.excluded
    refused(CLAIM, cast.reviewer.pk, request.pk, by="may not judge")


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM annotation_revisionauthor",
        "UPDATE annotation_revisionauthor SET user_id = {other}",
        "UPDATE annotation_draftcontributor SET user_id = {other}",
        "DELETE FROM annotation_draftcontributor; SET CONSTRAINTS ALL IMMEDIATE",
    ],
)
def test_it_never_forgets_who_wrote(cast: Cast, sql: str) -> None:
    typed_then_handed_over(cast)
    refused(sql.format(other=cast.reviewer.pk), by="append-only|has written words")


def test_it_forgets_a_draft_that_is_deleted_for_good_with_its_contributors(cast: Cast) -> None:
    draft = saved(cast, cast.writer)
    draft.delete()
    run("SET CONSTRAINTS ALL IMMEDIATE")
    assert not DraftContributor.objects.exists()


def make_practice(cast: Cast, item: Item) -> PracticeItem:
    assert item.current is not None
    return PracticeItem.objects.create(
        project=cast.project,
        story=item.story,
        story_revision=item.current.story_revision,
        task=item.task,
        words=WHOLE,
        made_from=item,
        expected_answer="option",
        expected_positions=[1],
        rating_low=1,
        rating_high=2,
        dispositions=["pass"],
        lesson="Read on.",
        made_by=cast.manager,
    )


PRACTICE = """
INSERT INTO review_reviewrequest (project_id, story_id, gold_id, dealt_to_id, claimed_by_id, stage, number,
    option_count, state, priority, task, excluded, freed_order, drawn_order, opened_at, lease_expires_at)
SELECT project_id, story_id, id, %s, %s, 'cross_check', 1, 4, 'claimed', 0, task, '{}', '{}', '{0,1,2,3}',
    now(), now() + interval '1 hour' FROM review_golditem WHERE id = %s
"""
PRACTISED = """
INSERT INTO review_review (request_id, stage, reviewer_id, answer, drawn_order, several_positions, blind,
    misclick, flaws, comment, disposition, option_marks, seconds, created_at)
SELECT id, stage, %s, '', '{}', '{}', true, false, '{}', '', '', '{}', 0, now() FROM review_reviewrequest
WHERE gold_id IS NOT NULL
"""


def test_it_refuses_practice_with_an_item_to_those_who_wrote_words_of_it(cast: Cast) -> None:
    item = typed_then_handed_over(cast)
    practice_item = make_practice(cast, item)
    assert practice_fits(cast.writer, cast.project) == []
    assert practice_fits(cast.reviewer, cast.project) == [practice_item.pk]
    refused(PRACTICE, cast.writer.pk, cast.writer.pk, practice_item.pk, by="may not judge")
    run(PRACTICE, cast.reviewer.pk, cast.reviewer.pk, practice_item.pk)
    refused(PRACTISED, cast.writer.pk, by="may not judge")
    run(PRACTISED, cast.reviewer.pk)
    run(AUTHOR, item.current_id or 0, cast.reviewer.pk)
    request = ReviewRequest.everything.get(gold=practice_item)
    assert request.claimed_by is None, "what lies in the hands of who becomes an author is taken away"
    assert request.excluded == [cast.reviewer.pk]
    refused("UPDATE review_review SET rating = 2", by="may not judge")
    refused("UPDATE review_reviewrequest SET state = 'open'", by="review_of_a_revision_or_practice")


@pytest.mark.parametrize("sql", [CLAIM, REVIEW])
def test_it_holds_when_somebody_becomes_an_author_while_they_judge(transactional_db: None, sql: str) -> None:
    """The contributor's transaction is first; the judgement waits for it, sees it, and is refused."""
    cast = make_project()
    typed_then_handed_over(cast)
    request, revision = ReviewRequest.objects.get(), Revision.objects.get()
    with transaction.atomic():
        run(AUTHOR, revision.pk, cast.reviewer.pk)
        thread, result = in_another_connection(
            lambda cursor: cursor.execute(sql, (cast.reviewer.pk, request.pk))
        )
        wait_until_blocked()
        assert thread.is_alive(), "the judgement waits for the contributor's transaction"
    thread.join(30)
    assert isinstance(result[0], psycopg.errors.CheckViolation)


def wait_until_blocked() -> None:
    """Wait until another connection waits for a lock."""
    for _attempt in range(600):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.05)
    raise AssertionError
