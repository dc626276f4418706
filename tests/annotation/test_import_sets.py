"""Imports by sets: statements by batch, never by row, and many are held to what one is held to."""

import gc
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.models import (
    DraftContributor,
    Item,
    ItemDraft,
    ItemText,
    KeyExposure,
    Option,
    Revision,
    RevisionAuthor,
    RevisionType,
    State,
    Transition,
)
from annotation.queries.search import holding
from annotation.services import import_items_as, index_words
from corpus.models import Story, StoryRevision, StoryText
from corpus.outcome import ImportResult
from corpus.queries import holding as story_holding
from corpus.services import import_stories
from parable.formats.records import ItemRecord, Reading, Row, StoryRecord
from review.models import ReviewRequest
from tests.factories import Cast, make_project

pytestmark = pytest.mark.django_db

FEW, MANY = 10, 1000
MORE_A_BATCH = 4
"""So many statements more may a larger import take: those of one batch more, not of a row."""


@pytest.fixture
def cast() -> Cast:
    return make_project(language="en")


def records(count: int, begin: int = 0) -> Iterator[ItemRecord]:
    """Items, four to a story, each tenth without a key."""
    for n in range(begin, begin + count):
        yield ItemRecord(
            id=f"i-{n}", task="commonsense", story_id=f"s-{n // 4}", title=f"Jar {n // 4}",
            story=f"A crow dropped pebbles into jar number {n // 4}.", question=f"Why pebble {n}?",
            choices=tuple(f"reason {n} {letter}" for letter in "abcd"),
            answer=None if n % 10 == 9 else n % 4, types=("physical", "social"), language="en",
        )  # fmt: skip


def reading(found: Sequence[ItemRecord]) -> Reading[ItemRecord]:
    return Reading("items.jsonl", "parable", tuple(Row(n, one) for n, one in enumerate(found, start=1)), ())


def bring(cast: Cast, found: Sequence[ItemRecord], state: str) -> ImportResult:
    return import_items_as(
        actor=cast.manager,
        project=cast.project,
        readings=[reading(found)],
        state=state,
        writer_name="Imported",
    )


def statements(cast: Cast, count: int, begin: int, state: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        result = bring(cast, list(records(count, begin)), state)
    assert result.counts()["created"] == count
    return len(asked)


@pytest.mark.parametrize("state", [State.IN_REVIEW, State.VERIFIED, State.DRAFT])
def test_what_is_written_waits_for_no_search_for_garbage(cast: Cast, state: str) -> None:
    bring(cast, list(records(FEW)), state)  # loads what an import loads
    gc.collect()
    gc.disable()
    try:
        bring(cast, list(records(MANY, FEW)), state)
        left = gc.collect()
    finally:
        gc.enable()
    assert left < MANY


@pytest.mark.parametrize("state", ["draft", "in_review", "verified"])
def test_it_asks_no_more_statements_for_a_thousand_items_than_for_ten(cast: Cast, state: str) -> None:
    statements(cast, FEW, 10_000, state)  # what is asked once is kept
    few, many = statements(cast, FEW, 20_000, state), statements(cast, MANY, 30_000, state)
    assert many <= few + MORE_A_BATCH
    assert few < FEW * 6


def test_it_asks_no_more_statements_for_a_thousand_stories_than_for_ten(cast: Cast) -> None:
    def asked(count: int, begin: int) -> int:
        rows = tuple(
            Row(n, StoryRecord(id=f"s-{n}", title=f"Jar {n}", text=f"A crow saw jar {n}."))
            for n in range(begin, begin + count)
        )
        with CaptureQueriesContext(connection) as statements:
            import_stories(
                actor=cast.manager, project=cast.project, readings=[Reading("s.jsonl", "jsonl", rows, ())]
            )
        return len(statements)

    asked(FEW, 10_000)
    assert asked(MANY, 30_000) <= asked(FEW, 20_000) + MORE_A_BATCH


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("reviews", [1, 2])
def test_it_opens_for_many_the_requests_that_it_opens_for_each(reviews: int, overlap: bool) -> None:
    """In one import and in imports of one item each: the same requests, of the same items."""
    cast, other = (
        make_project(language="en", reviews_per_item=reviews, plan_overlap=overlap) for _project in range(2)
    )
    wanted = list(records(30))
    bring(cast, wanted, State.IN_REVIEW)
    for one in wanted:
        bring(other, [one], State.IN_REVIEW)

    def opened(of: Cast) -> list[tuple[object, ...]]:
        found = ReviewRequest.objects.filter(project=of.project).order_by("item", "number")
        names = ("item__ref", "stage", "state", "number", "option_count", "priority", "item__writer__name")
        return list(found.values_list(*names))

    # so few items are all drawn for a second review
    asked = 2 if overlap or reviews == 2 else 1
    assert len(opened(cast)) == 27 * asked
    assert opened(cast) == opened(other)
    for request in ReviewRequest.objects.filter(project=cast.project):
        authors = RevisionAuthor.objects.filter(item=request.item).values_list("user", flat=True)
        assert request.excluded == sorted(authors) != []
        assert request.opened_by == Transition.objects.get(item=request.item)


def test_it_finds_what_came_by_the_hundreds_before_and_after_it_is_indexed(cast: Cast) -> None:
    bring(cast, list(records(MANY)), State.VERIFIED)

    def found(*terms: str) -> tuple[int, int]:
        items, stories = Item.objects.filter(holding(terms)), Story.objects.filter(story_holding(terms))
        return items.count(), stories.count()

    terms = (("pebble 77",), ("number 42.",), ("reason 997 b",), ("乌龟",), ("a",))
    before = [found(*each) for each in terms]
    assert before[:4] == [(11, 0), (0, 1), (1, 0), (0, 0)]
    assert ItemText.objects.filter(grams=None).count() == MANY
    assert StoryText.objects.filter(grams=None).count() == MANY // 4
    index_words()
    assert not ItemText.objects.filter(grams=None).exists()
    assert not StoryText.objects.filter(grams=None).exists()
    assert [found(*each) for each in terms] == before


def test_it_indexes_one_by_one_what_is_written_one_by_one(cast: Cast) -> None:
    bring(cast, list(records(FEW)), State.VERIFIED)
    assert not ItemText.objects.filter(grams=None).exists()
    assert not StoryText.objects.filter(grams=None).exists()


TEXTS = ("", " ", "a", "Two  words", "乌龟\n与 兔子", "\u3000全角\u00a0x", "𝄞 clef 𝄞𝄞", "aaaa", "é\u2003ë\tz")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("shortest", [1, 2])
def test_it_finds_the_letters_and_bigrams_that_hold_no_space(text: str, shortest: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT parable_grams(%s, %s)", [text, shortest])
        (grams,) = cursor.fetchone()
        cursor.execute(
            "SELECT letter FROM unnest(string_to_array(%s, NULL)) AS letter WHERE letter ~ '\\s'", [text]
        )
        spaces = {letter for (letter,) in cursor.fetchall()}
    codes = [None if letter in spaces else ord(letter) for letter in text]
    singles = {code << 15 for code in codes if code is not None and shortest == 1}
    pairs = {a << 15 ^ b for a, b in pairwise(codes) if a is not None and b is not None}
    signed = {
        number - 2**32 if number >= 2**31 else number for number in (n % 2**32 for n in singles | pairs)
    }
    assert grams == sorted(signed)


@pytest.mark.parametrize("immediate", [False, True])
def test_it_checks_a_revision_again_for_each_statement_that_gives_it_options(
    cast: Cast, immediate: bool
) -> None:
    """One check serves the options of one statement; a second statement cannot hide behind the first."""
    bring(cast, list(records(1)), State.VERIFIED)
    revision = Revision.objects.get()
    with connection.cursor() as cursor:
        if immediate:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with pytest.raises(IntegrityError, match="annotation_one_key"), transaction.atomic():
        _add_options(revision)


def _add_options(revision: Revision) -> None:
    """A second key, by a statement that follows one without: both in one transaction."""
    for position, is_key in ((7, False), (8, True)):
        message = f"x{position}"
        Option.objects.create(
            revision=revision, position=position, text=message, normalised=message, is_key=is_key
        )
    _check_now()


def test_it_writes_a_row_of_an_import_once(cast: Cast) -> None:
    """No row is written and then changed: no item, no searched words."""

    def changed() -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sum(n_tup_upd) FROM pg_stat_xact_user_tables"
                " WHERE relname IN"
                " ('annotation_item', 'annotation_itemtext', 'corpus_story', 'corpus_storytext')"
            )
            return int(cursor.fetchone()[0])

    before = changed()
    for state in ("draft", "in_review", "verified"):
        bring(cast, [replace(one, id=f"{one.id}-{state}") for one in records(FEW)], state)
    assert changed() == before


def test_it_holds_every_item_of_a_set_to_the_rules_of_one(cast: Cast) -> None:
    """One item of a thousand that breaks a rule of the database breaks the import, and nothing is left."""
    wanted = list(records(MANY))
    wanted[500] = replace(wanted[500], choices=("same", "same", "b", "c"))
    with pytest.raises(IntegrityError, match="annotation_options_distinct"), transaction.atomic():
        bring(cast, wanted, State.VERIFIED)
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("keys", "refused"), [((2,), None), ((), "has no key"), ((0, 3), "annotation_one_key")]
)
def test_a_new_revision_may_get_its_options_one_by_one(
    cast: Cast, keys: Collection[int], refused: str | None
) -> None:
    """It need not be whole before its transaction ends, and is refused by then."""
    bring(cast, list(records(1)), State.VERIFIED)
    expected = pytest.raises(IntegrityError, match=refused) if refused else nullcontext()
    with expected, transaction.atomic():
        _reword(keys)
        _check_now()


def _check_now() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _reword(keys: Collection[int]) -> None:
    """A second revision of the one item; its options come one by one, a key among the last."""
    first = Revision.objects.get()
    revision = Revision.objects.create(
        item=first.item, number=2, author=first.author, story_revision=first.story_revision, stem="Why?"
    )
    RevisionType.objects.create(revision=revision, type=first.types.all()[0])
    for position in range(4):
        message, is_key = f"x{position}", position in keys
        Option.objects.create(
            revision=revision, position=position, text=message, normalised=message, is_key=is_key
        )


REPEATED = """
SELECT shorter.indexrelid::regclass::text, longer.indexrelid::regclass::text
FROM pg_index AS shorter JOIN pg_index AS longer USING (indrelid)
WHERE shorter.indexrelid <> longer.indexrelid AND NOT shorter.indisunique
    AND shorter.indpred IS NULL AND longer.indpred IS NULL
    AND 0 <> ALL (longer.indkey[0:shorter.indnatts - 1])
    AND shorter.indkey[0:shorter.indnatts - 1] = longer.indkey[0:shorter.indnatts - 1]
    AND shorter.indrelid::regclass::text = ANY (%s)
ORDER BY 1
"""
OFTEN_WRITTEN = (ItemDraft, DraftContributor, KeyExposure, Option, Revision, RevisionType, ReviewRequest)


def test_no_index_repeats_the_beginning_of_another() -> None:
    """Each costs every row that is written; a project's and a story's short ones serve counts."""
    tables = [model._meta.db_table for model in (*OFTEN_WRITTEN, RevisionAuthor, Transition, StoryRevision)]
    with connection.cursor() as cursor:
        cursor.execute(REPEATED, [tables])
        assert cursor.fetchall() == []
