"""What becomes of a row whose item the project has: unchanged, changed, or why it cannot be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from accounts.services import get_or_create_placeholder
from annotation.models import Cause, Item, ItemDraft, State
from annotation.queries.item import revision_content, source_id, types_in_order
from annotation.services import apply_verdict, import_items, item_ref, retire_item, revise_item, withdraw_item
from corpus.models import Story
from corpus.outcome import CHANGED, CREATED, UNCHANGED, ImportResult, preview_of
from parable.formats.records import ItemRecord, Reading, Row
from projects.services import publish_guideline
from tests.factories import Cast, wording
from tests.release.made import record

pytestmark = pytest.mark.django_db

SOUND = record(1, 1)
CHOICES = SOUND.choices
FILE = "items.jsonl"


def bring(
    cast: Cast,
    *items: ItemRecord,
    state: str = "in_review",
    dry_run: bool = False,
    may_replace: bool = False,
) -> ImportResult:
    return import_items(
        actor=cast.manager,
        project=cast.project,
        readings=[Reading(FILE, "parable", tuple(Row(n, one) for n, one in enumerate(items, start=1)), ())],
        state=state,
        writer=get_or_create_placeholder(actor=cast.manager, name="Aesop"),
        dry_run=dry_run,
        may_replace=may_replace,
    )


def changed(**changes: Any) -> ItemRecord:
    return replace(SOUND, **changes)


def outcomes(result: ImportResult) -> list[str]:
    assert not result.issues, result.issues
    return [outcome.outcome for outcome in result.outcomes if outcome.row == 1]


ONE_THING: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, UNCHANGED),
    "the key": ({"answer": 3}, CHANGED),
    "the stem": ({"question": "Why, then?"}, CHANGED),
    "the key's words": ({"choices": (*CHOICES[:2], "other words", CHOICES[3])}, CHANGED),
    "a wrong option": ({"choices": ("other words", *CHOICES[1:])}, CHANGED),
    "one option fewer": ({"choices": CHOICES[:3]}, CHANGED),
    "another order and another key": ({"choices": (*CHOICES[1:], CHOICES[0])}, CHANGED),
    "the explanation": ({"explanation": "Otherwise."}, CHANGED),
    "another type": ({"types": ("physical",)}, CHANGED),
    "one type more": ({"types": (*SOUND.types, "physical")}, CHANGED),
    "a word of the story": ({"story": f"{SOUND.story} So it is.", "story_id": "tale-9"}, CHANGED),
    "what is no word of the item": ({"title": "Another title", "style": "machine"}, UNCHANGED),
}


@pytest.mark.parametrize("state", ["in_review", "draft"])
@pytest.mark.parametrize(("changes", "outcome"), ONE_THING.values(), ids=ONE_THING)
def test_one_thing_that_differs_is_a_change(
    cast: Cast, changes: dict[str, Any], outcome: str, state: str
) -> None:
    assert SOUND.answer == 2
    bring(cast, SOUND, state=state)
    found = bring(cast, changed(**changes), state=state)
    assert outcomes(found) == [outcome]
    assert (found.counts()["created"], Item.objects.count()) == (0, 1)
    item = Item.objects.get()
    if state == "draft":
        return
    written, wanted = revision_content(wording(item)), changed(**changes)
    assert wording(item).number == (1 if outcome == UNCHANGED else 2)
    assert tuple(option.text for option in written.options) == wanted.choices
    assert [option.is_key for option in written.options].index(True) == wanted.answer


def test_an_item_about_another_story_is_replaced_only_where_that_is_asked_for(cast: Cast) -> None:
    bring(cast, SOUND)
    other = changed(story="An ant carried grain all summer while a cricket sang.", story_id=None)
    refused = bring(cast, other, dry_run=True)
    assert [(one.field, one.message[:50]) for one in refused.issues] == [
        ("id", "The item with this ID is about another story. Give")
    ]
    assert bring(cast, other).is_broken
    assert wording(Item.objects.get()).number == 1
    assert outcomes(bring(cast, other, may_replace=True)) == [CHANGED]
    assert wording(Item.objects.get()).number == 2


@pytest.mark.parametrize("turned", [False, True])
def test_files_that_share_ids_are_kept_apart_in_any_order(cast: Cast, *, turned: bool) -> None:
    """Ids such as 0, 1, 2 in each file; the first came alone before, under its own ids."""
    other = changed(story="An ant carried grain all summer while a cricket sang.", story_id="ant")
    files = [
        Reading(f"{name}.jsonl", "parable", (Row(1, one),), ()) for name, one in (("a", SOUND), ("b", other))
    ]
    bring(cast, SOUND)
    both = files[::-1] if turned else files

    def together() -> ImportResult:
        writer = get_or_create_placeholder(actor=cast.manager, name="Aesop")
        return import_items(
            actor=cast.manager, project=cast.project, readings=both, state="in_review", writer=writer
        )

    first, again = together(), together()
    assert not [*first.issues, *again.issues]
    assert {one.file: one.outcome for one in first.outcomes} == {"a.jsonl": UNCHANGED, "b.jsonl": CREATED}
    assert {one.outcome for one in again.outcomes} == {UNCHANGED}
    assert sorted(Item.objects.values_list("ref", flat=True)) == sorted(
        [item_ref(SOUND), f"b:{item_ref(SOUND)}"]
    )
    assert [(one.file, one.code) for one in first.remarks] == [("b.jsonl", "shared_ids")]


def test_options_in_another_order_are_the_same_item(cast: Cast) -> None:
    bring(cast, SOUND)
    key = CHOICES[SOUND.answer or 0]
    turned = CHOICES[::-1]
    assert outcomes(bring(cast, changed(choices=turned, answer=turned.index(key)))) == [UNCHANGED]


def test_a_title_that_differs_is_reported_and_the_story_keeps_its_own(cast: Cast) -> None:
    twin = replace(record(1, 2), title="Another title")
    keyless = replace(record(1, 3), title="A third title", answer=None)
    brought = bring(cast, SOUND, twin, keyless)
    assert [outcome.remark for outcome in brought.outcomes] == [
        "", "", "no key: imported as a draft that cannot be submitted",
    ]  # fmt: skip
    said = "title differs; the story keeps “Tale 1”"
    assert [(note.row, note.field, note.message) for note in brought.notes] == [
        (2, "title", said),
        (3, "title", said),
    ]
    lacks_key = brought.outcomes[2].remark
    assert [row.remarks for row in preview_of(brought).rows] == [(), (said,), (lacks_key, said)]
    again = bring(cast, replace(SOUND, title="Another title", story="", id="new"), dry_run=True)
    assert [(note.row, note.field, note.message) for note in again.notes] == [(1, "title", said)]
    assert [story.current.title for story in Story.objects.select_related("current") if story.current] == [
        "Tale 1"
    ]


def test_the_order_of_types_survives_a_new_wording(cast: Cast) -> None:
    bring(cast, changed(types=("physical", "biological")))
    item = Item.objects.select_related("current").get()
    words = replace(
        revision_content(wording(item)), stem="Why, then?", types=("social", "biological", "physical")
    )
    revise_item(actor=cast.reviewer, item=item, content=words, cause=Cause.EDIT_ADOPTED)
    item.refresh_from_db()
    named = [link.type.code for link in types_in_order().filter(revision=wording(item))]
    assert named == ["physical", "biological", "social"]


def test_an_item_of_a_release_is_known_by_the_id_that_it_first_came_with(cast: Cast) -> None:
    bring(cast, SOUND)
    assert outcomes(bring(cast, changed(id="fables-c-000001", source_id=SOUND.id))) == [UNCHANGED]


def test_an_id_made_of_the_order_of_options_is_not_for_readers() -> None:
    assert source_id(item_ref(changed(id=""))) == ""
    assert source_id(item_ref(SOUND)) == SOUND.id


def test_what_is_imported_follows_the_guideline_of_now(cast: Cast) -> None:
    guideline = publish_guideline(actor=cast.manager, project=cast.project, text="Be kind.")
    bring(cast, SOUND)
    assert wording(Item.objects.get()).guideline == guideline


def test_a_key_that_a_file_lacks_now_is_a_change_that_a_submitted_item_does_not_take(cast: Cast) -> None:
    bring(cast, SOUND)
    found = bring(cast, changed(answer=None))
    assert [(one.file, one.row, one.field) for one in found.issues] == [(FILE, 1, "id")]


# --- the states ---


def verdict(cast: Cast, item: Item, to_state: State, cause: Cause) -> None:
    apply_verdict(
        actor=cast.reviewer,
        item=item,
        revision_id=wording(item).pk,
        to_state=to_state,
        cause=cause,
        reason="Why.",
    )


def at(cast: Cast, state: str) -> Item:
    """The sound item, brought to a state as people bring it there."""
    starts = {"draft": "draft", "verified": "verified", "retired": "verified"}
    bring(cast, SOUND, state=starts.get(state, "in_review"))
    item = Item.objects.select_related("current").get()
    moves = {
        "in_verification": Cause.ALL_PASS,
        "in_adjudication": Cause.SPLIT,
        "returned": Cause.ALL_RETURN,
        "rejected": Cause.ALL_REJECT,
    }
    if state in moves:
        verdict(cast, item, State(state), moves[State(state)])
    elif state == "withdrawn":
        withdraw_item(actor=item.writer, item=item)
    elif state == "retired":
        retire_item(actor=cast.manager, item=item, reason="Two fit.")
    item.refresh_from_db()
    assert item.state == state
    return item


TAKES_NEW_WORDS = {"draft", "in_review", "returned", "verified"}


@pytest.mark.parametrize("state", [state.value for state in State])
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_row_whose_item_cannot_be_changed_now_is_reported(cast: Cast, state: str, dry_run: bool) -> None:
    item = at(cast, state)
    fresh = record(7, 1)
    found = bring(cast, changed(question="Why, then?"), fresh, dry_run=dry_run)
    item.refresh_from_db()
    if state in TAKES_NEW_WORDS:
        assert outcomes(found) == [CHANGED]
        assert item.state == (state if dry_run else State.IN_REVIEW)
        return
    (issue,) = found.issues
    assert (issue.file, issue.row, issue.field) == (FILE, 1, "id")
    assert item.get_state_display() in issue.message
    assert (found.counts()["broken"], found.counts()["changed"]) == (1, 0)
    assert item.state == state
    assert wording(item).stem == SOUND.question
    assert Item.objects.count() == 1, "one broken row: nothing is written"


@pytest.mark.parametrize("state", [state.value for state in State])
def test_a_row_that_says_the_same_is_unchanged_in_every_state(cast: Cast, state: str) -> None:
    item = at(cast, state)
    assert outcomes(bring(cast, SOUND)) == [UNCHANGED]
    item.refresh_from_db()
    assert item.state == state
    assert ItemDraft.objects.count() == (1 if state == "draft" else 0)
