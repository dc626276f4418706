"""The sheet: one item is written, saved, submitted, revised or thrown away."""

import re
import uuid
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content import ItemContent, OptionContent, to_json
from annotation.models import Cause, Item, ItemDraft, KeyExposure, Revision, State
from annotation.queries.item import revision_content
from annotation.services import add_comment, apply_verdict, revise_item, save_draft
from annotation.views.sheet import lengths_of
from core.errors import Unusable
from projects.services import publish_guideline, update_project
from tests.annotation.conftest import SeenBy
from tests.annotation.sheets import draft_page, sheet, write_page
from tests.corpus.commands import run
from tests.factories import Cast, content, make_project, make_story, submit_item, wording
from tests.parable.hostile_files import crmus

pytestmark = pytest.mark.django_db

MORAL = "Slow and steady wins."
UNCHANGED = "Nothing has changed since this item was returned."


def send_back(cast: Cast, item: Item, reason: str = "Two options are right.") -> Item:
    assert item.current is not None
    return apply_verdict(
        actor=cast.reviewer,
        item=item,
        revision_id=wording(item).pk,
        to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
        reason=reason,
    )


def test_it_shows_the_story_beside_an_empty_item(cast: Cast, seen_by: SeenBy) -> None:
    story = make_story(cast, title="The Tortoise", moral=MORAL)
    page = seen_by(cast.writer).get(write_page(cast, story.pk)).content.decode()
    assert "The Tortoise" in page
    assert MORAL not in page
    assert [f'name="option-{index}"' in page for index in range(5)] == [True] * 4 + [False]
    for name in ("Social", "Biological", "Temporal", "Spatial", "Physical"):
        assert name in page
    assert "A bow shows respect." in page
    assert not KeyExposure.objects.exists()
    assert not ItemDraft.objects.exists()


def test_it_asks_for_as_many_options_as_the_project_wants(cast: Cast, seen_by: SeenBy) -> None:
    update_project(actor=cast.manager, project=cast.project, changes={"options_per_item": 6})
    page = seen_by(cast.writer).get(write_page(cast, make_story(cast).pk)).content.decode()
    assert 'name="option-5"' in page
    assert 'name="option-6"' not in page


def test_it_saves_without_script_and_comes_back_to_what_was_begun(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id = make_story(cast), uuid.uuid4()
    client = seen_by(cast.writer)
    half = ItemContent(stem="Why did\nit sleep", options=(OptionContent("tired", is_key=True),))
    saved = client.post(draft_page(cast, client_id), sheet(story, half, do="save"))
    assert saved["Location"] == draft_page(cast, client_id)
    draft = ItemDraft.objects.get()
    assert (draft.content["stem"], draft.sequence, draft.writer) == ("Why did\nit sleep", 1, cast.writer)
    page = client.get(draft_page(cast, client_id)).content.decode()
    assert "Why did\nit sleep" in page
    assert "1 options filled in; this project requires 4." in page
    assert client.get(write_page(cast, story.pk))["Location"] == draft_page(cast, client_id)
    assert client.get(write_page(cast, story.pk, "?new=1")).status_code == 200


def test_it_submits_a_whole_item_to_review(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id = make_story(cast), uuid.uuid4()
    words = content(types=("social", "temporal"))
    done = seen_by(cast.writer).post(draft_page(cast, client_id), sheet(story, words))
    assert done.status_code == 302
    item = Item.objects.get()
    assert (item.state, item.writer, item.task) == (State.IN_REVIEW, cast.writer, "commonsense")
    assert item.current is not None
    written = revision_content(item.current)
    assert (written.stem, written.options, written.explanation) == (
        words.stem, words.options, words.explanation,
    )  # fmt: skip
    assert set(written.types) == {"social", "temporal"}


def test_it_submits_once_what_is_sent_twice(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    first = client.post(draft_page(cast, client_id), sheet(story))
    second = client.post(draft_page(cast, client_id), sheet(story))
    assert (first.status_code, second.status_code) == (302, 302)
    assert Item.objects.count() == Revision.objects.count() == 1
    assert client.get(draft_page(cast, client_id)).status_code == 302


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (content(stem=""), "The stem is empty."),
        (content(types=()), "Select at least one commonsense type."),
        (content(explanation=" "), "Explain why the key is right."),
        (content("Why?", "a", "b", "a", "c"), "Options 1 and 3 are equal."),
        (content("Why?", "a", "", "a", "c", key=0), "Options 1 and 3 are equal."),
        (content("Why?", "a", "b", "c", key=0), "3 options filled in; this project requires 4."),
        (content("Why?", "a", "b", "c", "d", key=9), "Mark the key."),
        (content("Why?", "a", "", "b", "c", key=1), "The option marked as the key is empty."),
    ],
)
def test_it_says_beside_the_field_what_is_wrong_and_keeps_every_word(
    cast: Cast, seen_by: SeenBy, words: ItemContent, says: str
) -> None:
    story, client_id = make_story(cast), uuid.uuid4()
    page = seen_by(cast.writer).post(draft_page(cast, client_id), sheet(story, words))
    assert page.status_code == 400
    text = page.content.decode()
    assert f"<span>{says}</span>" in text
    assert not Item.objects.exists()
    assert ItemDraft.objects.get().content == to_json(words)
    for option in words.options:
        assert f">{option.text}</textarea>" in text


def test_it_says_which_option_is_meant_where_some_are_left_empty(cast: Cast, seen_by: SeenBy) -> None:
    words = content("Why?", "", "a", "", "a", key=1)
    page = seen_by(cast.writer).post(draft_page(cast, uuid.uuid4()), sheet(make_story(cast), words))
    assert 'id="option-3_error"' in page.content.decode()


@pytest.mark.parametrize(
    ("words", "field", "says"),
    [
        (content("", "a", "b", "c", "d", types=()), "types", "Types: Select at least one commonsense type."),
        (content("", "a", "b", "c", "d"), "stem", "Stem: "),
        (content("Why?", "a", "b", "", ""), "option-0", "Options: "),
        (content("Why?", "a", "b", "c", "d", key=9), "key", "Key: Mark the key."),
        (content("Why?", "", "a", "", "a", key=1), "option-0", "Options: "),
        (content("Why?", "a", "b", "c", "a"), "option-3", "Option 4: "),
        (content("Why?", "a", "b", "c", "d", explanation=""), "explanation", "Explanation: "),
        (
            content("Why?", "It was sure of winning the race", "a", "b", "c", key=0),
            "answer-",
            "Option 1: The key",
        ),
    ],
)
def test_it_names_the_first_thing_that_keeps_an_item_from_being_submitted(
    cast: Cast, seen_by: SeenBy, words: ItemContent, field: str, says: str
) -> None:
    page = seen_by(cast.writer).post(draft_page(cast, uuid.uuid4()), sheet(make_story(cast), words))
    text = page.content.decode()
    blocked = re.search(r'id="blocked" href="#(.*?)" data-field="(.*?)">(.*?)</a>', text)
    assert blocked
    assert blocked[2].startswith(field)
    assert blocked[3].startswith(f"Not submitted. {says}")
    assert f'id="{blocked[1]}"' in text, "the link leads to the sentence beside the field"
    assert f'name="{blocked[2]}"' in text, "and the script to the field"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (content("Why?", "abcd", "ab", "abc", "", key=0), "Key length 4, distractors 3 on average"),
        (content("Why?", " 乌龟 ", "兔子", key=0), "Key length 2, distractors 2 on average"),
        (content("Why?", "a", "b", key=9), ""),
        (content("Why?", "a", "", key=0), ""),
        (content("Why?", "", "b", key=0), ""),
    ],
)
def test_it_compares_the_lengths_of_key_and_distractors(words: ItemContent, says: str) -> None:
    assert lengths_of(words) == says


def test_it_marks_the_key_that_its_length_gives_away(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    words = content("Why?", "short", "this is by far the longest", "brief", "tiny")
    client.post(draft_page(cast, client_id), sheet(story, words, do="save"))
    page = client.get(draft_page(cast, client_id)).content.decode()
    assert page.count("longest, is the key") == 2  # on the row, and in the template the script copies
    assert "26 characters" in page


def test_it_keeps_without_script_what_was_typed_after_it_was_handed_in_elsewhere(
    cast: Cast, seen_by: SeenBy
) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    client.post(draft_page(cast, client_id), sheet(story))
    late = client.post(draft_page(cast, client_id), sheet(story, content("My own words?")))
    assert late.status_code == 409
    text = late.content.decode()
    assert "My own words?</textarea>" in text
    assert "<p>Why did the hare fall asleep?</p>" in text
    assert 'value="apart"' in text
    kept = client.post(draft_page(cast, client_id), sheet(story, content("My own words?"), do="apart"))
    draft = ItemDraft.objects.get(submitted_as=None)
    assert kept["Location"] == draft_page(cast, draft.client_id)
    assert draft.content["stem"] == "My own words?"
    assert Item.objects.count() == 1


def test_it_waits_with_submitting_but_never_with_saving_until_the_guideline_is_read(
    cast: Cast, seen_by: SeenBy
) -> None:
    guideline = publish_guideline(actor=cast.manager, project=cast.project, text="Ask for common sense.")
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    assert client.post(draft_page(cast, client_id), sheet(story, do="save")).status_code == 302
    refused = client.post(draft_page(cast, client_id), sheet(story, sequence=1))
    assert refused.status_code == 400
    assert "Read and confirm the guideline here" in refused.content.decode()
    both = client.post(draft_page(cast, uuid.uuid4()), sheet(story, content(stem="")))
    assert "Read and confirm the guideline here" in both.content.decode()
    assert "<span>The stem is empty.</span>" in both.content.decode()
    assert not Item.objects.exists()
    done = client.post(draft_page(cast, client_id), sheet(story, sequence=2, read_guideline=guideline.pk))
    assert done.status_code == 302
    assert Item.objects.get().current.guideline == guideline  # type: ignore[union-attr]  # it has one
    again = client.post(draft_page(cast, uuid.uuid4()), sheet(story, content("Another stem?")))
    assert again.status_code == 302


def test_it_shows_both_wordings_when_another_window_was_faster(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    client.post(draft_page(cast, client_id), sheet(story, content("Theirs?"), do="save"))
    late = client.post(draft_page(cast, client_id), sheet(story, content("Mine?"), do="save"))
    assert late.status_code == 409
    text = late.content.decode()
    assert "Theirs?" in text
    assert "Mine?</textarea>" in text
    assert 'name="sequence" value="1"' in text
    kept = client.post(draft_page(cast, client_id), sheet(story, content("Mine?"), do="save", sequence=1))
    assert kept.status_code == 302
    assert ItemDraft.objects.get().content["stem"] == "Mine?"


def test_it_puts_a_draft_into_the_bin_and_takes_it_out_again(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    client.post(draft_page(cast, client_id), sheet(story, do="discard"))
    assert ItemDraft.objects.get().deleted_at is not None
    assert client.get(draft_page(cast, client_id)).status_code == 302
    desk = client.get(f"/p/{cast.project.slug}/write").content.decode()
    assert "Why did the hare fall asleep?" in desk
    assert client.post(f"{draft_page(cast, client_id)}/restore")["Location"] == draft_page(cast, client_id)
    assert client.get(draft_page(cast, client_id)).status_code == 200


def test_it_bins_nothing_where_nothing_was_typed(cast: Cast, seen_by: SeenBy) -> None:
    empty = content("", "", "", "", "", key=9, types=(), explanation="")
    gone = seen_by(cast.writer).post(
        draft_page(cast, uuid.uuid4()), sheet(make_story(cast), empty, do="discard")
    )
    assert gone.status_code == 302
    assert not ItemDraft.objects.exists()


def test_it_leads_to_the_next_item_while_items_are_owed_and_then_to_the_desk(
    cast: Cast, seen_by: SeenBy
) -> None:
    update_project(actor=cast.manager, project=cast.project, changes={"items_per_writer": 2})
    story, client = make_story(cast), seen_by(cast.writer)
    first = client.post(draft_page(cast, uuid.uuid4()), sheet(story, content("First?")))
    assert first["Location"] == write_page(cast, story.pk)
    second = client.post(draft_page(cast, uuid.uuid4()), sheet(story, content("Second?")))
    assert second["Location"] == f"/p/{cast.project.slug}/write"


def test_it_keeps_ones_drafts_from_everybody_else(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id = make_story(cast), uuid.uuid4()
    seen_by(cast.writer).post(draft_page(cast, client_id), sheet(story, do="save"))
    for other in (cast.writer2, cast.manager, cast.outsider):
        assert seen_by(other).get(draft_page(cast, client_id)).status_code == 404
        assert seen_by(other).post(f"{draft_page(cast, client_id)}/restore").status_code == 404
    assert seen_by(cast.outsider).get(write_page(cast, story.pk)).status_code == 404
    elsewhere = make_story(make_project())
    assert seen_by(cast.writer).get(write_page(cast, elsewhere.pk)).status_code == 404
    broken = sheet(elsewhere, do="save")
    assert seen_by(cast.writer).post(draft_page(cast, uuid.uuid4()), broken).status_code == 404


@pytest.mark.parametrize(
    "broken", [{"story": "x"}, {"task": "riddle"}, {"sequence": -1}, {"sequence": 2**70}]
)
def test_it_refuses_a_form_that_is_not_its_own_in_a_sentence(
    cast: Cast, seen_by: SeenBy, broken: dict[str, object]
) -> None:
    sent = sheet(make_story(cast), do="save") | broken
    assert seen_by(cast.writer).post(draft_page(cast, uuid.uuid4()), sent).status_code == 400
    assert seen_by(cast.writer).get(write_page(cast, sent["story"], "?task=x")).status_code == 404


def test_it_shows_a_returned_item_with_the_words_and_takes_its_next_wording(
    cast: Cast, seen_by: SeenBy
) -> None:
    item = send_back(cast, submit_item(cast))
    client, address = seen_by(cast.writer), f"/p/{cast.project.slug}/write/item/{item.pk}"
    page = client.get(address).content.decode()
    assert "Two options are right." in page
    assert "Why did the hare fall asleep?" in page
    client_id = uuid.uuid4()
    words = content("Why did the hare lie down?")
    saved = client.post(draft_page(cast, client_id), sheet(item.story, words, do="save", item=item.pk))
    assert saved.status_code == 302
    assert client.get(address)["Location"] == draft_page(cast, client_id)
    done = client.post(draft_page(cast, client_id), sheet(item.story, words, item=item.pk, sequence=1))
    assert done["Location"] == f"/p/{cast.project.slug}/write"
    item.refresh_from_db()
    assert item.current is not None
    assert (item.state, item.current.number, item.current.stem) == (
        State.IN_REVIEW, 2, "Why did the hare lie down?",
    )  # fmt: skip


def test_it_refuses_a_returned_item_as_it_was_until_its_writer_says_why(cast: Cast, seen_by: SeenBy) -> None:
    item, client, client_id = send_back(cast, submit_item(cast)), seen_by(cast.writer), uuid.uuid4()
    page = client.get(f"/p/{cast.project.slug}/write/item/{item.pk}").content.decode()
    assert f"/p/{cast.project.slug}/items/{item.pk}#comment" in page
    refused = client.post(draft_page(cast, client_id), sheet(item.story, item=item.pk))
    assert refused.status_code == 400
    assert UNCHANGED in refused.content.decode().split('id="sheet"')[0]
    item.refresh_from_db()
    assert (item.state, wording(item).number) == (State.RETURNED, 1)
    add_comment(actor=cast.writer, item=item, text="Only one option fits: the others are not in the story.")
    client.post(draft_page(cast, client_id), sheet(item.story, item=item.pk, sequence=1))
    item.refresh_from_db()
    assert (item.state, wording(item).number) == (State.IN_REVIEW, 2)


OTHERWISE: dict[str, ItemContent] = {
    "stem": content("Why did the hare lie down?"),
    "option": content(
        "Why did the hare fall asleep?", "It rained", "It felt sure", "It was night", "It was ill"
    ),
    "key": content(key=0),
    "types": content(types=("biological",)),
    "explanation": content(explanation="It was far ahead."),
    "answer to a warning": replace(content(), answered_warnings={"longest_key": "The story's words."}),
}


@pytest.mark.parametrize("words", OTHERWISE.values(), ids=OTHERWISE)
def test_it_takes_a_returned_item_with_any_change(cast: Cast, words: ItemContent) -> None:
    item = send_back(cast, submit_item(cast))
    assert revise_item(actor=cast.writer, item=item, content=words).state == State.IN_REVIEW


@pytest.mark.parametrize("words", [content(), content(f"  {content().stem}\n")], ids=["same", "white space"])
def test_it_refuses_a_returned_item_without_a_change(cast: Cast, words: ItemContent) -> None:
    item = send_back(cast, submit_item(cast))
    with pytest.raises(Unusable, match=UNCHANGED):
        revise_item(actor=cast.writer, item=item, content=words)


@pytest.mark.parametrize(
    ("events", "goes"),
    [
        (["return", "writer"], True),
        (["return", "manager"], False),
        (["writer", "return"], False),
        (["return", "writer", "submit", "return"], False),
        (["return", "writer", "submit", "return", "writer"], True),
    ],
)
def test_it_takes_a_returned_item_as_it_was_with_its_writers_comment_since(
    cast: Cast, events: list[str], goes: bool
) -> None:
    item = submit_item(cast)
    for event in events:
        if event == "return":
            send_back(cast, item)
        elif event == "submit":
            item = revise_item(actor=cast.writer, item=item, content=content())
        else:
            add_comment(actor=getattr(cast, event), item=item, text="Only one option fits.")
    with nullcontext() if goes else pytest.raises(Unusable, match=UNCHANGED):
        revise_item(actor=cast.writer, item=item, content=content())


def test_a_manager_who_finishes_an_item_says_why_it_stays(cast: Cast) -> None:
    item = send_back(cast, submit_item(cast))
    with pytest.raises(Unusable, match=UNCHANGED):
        revise_item(actor=cast.manager, item=item, content=content())
    add_comment(actor=cast.manager, item=item, text="Only one option fits.")
    assert revise_item(actor=cast.manager, item=item, content=content()).state == State.IN_REVIEW


def test_it_lets_nobody_revise_what_is_not_with_its_writer_or_not_theirs(cast: Cast, seen_by: SeenBy) -> None:
    item = submit_item(cast)
    address = f"/p/{cast.project.slug}/write/item/{item.pk}"
    assert seen_by(cast.writer).get(address).status_code == 409
    assert seen_by(cast.writer2).get(address).status_code == 404
    send_back(cast, item)
    assert seen_by(cast.writer).get(address).status_code == 200
    assert seen_by(cast.writer2).get(address).status_code == 404
    assert seen_by(cast.manager).get(address).status_code == 200


def test_it_withdraws_an_item_for_good(cast: Cast, seen_by: SeenBy) -> None:
    item = send_back(cast, submit_item(cast))
    address = f"/p/{cast.project.slug}/write/item/{item.pk}/withdraw"
    assert seen_by(cast.writer2).post(address).status_code == 404
    assert seen_by(cast.writer).post(address).status_code == 302
    item.refresh_from_db()
    assert item.state == State.WITHDRAWN


def test_it_says_what_an_imported_draft_lacks_and_lets_a_manager_finish_it(
    cast: Cast, seen_by: SeenBy, tmp_path: Path
) -> None:
    path = tmp_path / "keyless.json"
    path.write_bytes(crmus(answer=""))
    assert run("import_items", path, "--project", cast.project.slug).code == 0
    item = Item.objects.get(ref="1_1")
    client = seen_by(cast.manager)
    listed = client.get(f"/p/{cast.project.slug}/items", {"state": "draft"}).content.decode()
    assert "Mark the key." in listed
    page = client.get(f"/p/{cast.project.slug}/write/item/{item.pk}").content.decode()
    assert "Mark the key." in page
    options = ("Throw stones", "Fly away", "Sleep on", "Sing aloud")
    words = content("What will it do?", *options, key=0, types=("physical",))
    refused = client.post(
        draft_page(cast, uuid.uuid4()),
        sheet(item.story, ItemContent("它？", words.options[1:]), item=item.pk),
    )
    assert refused.status_code == 400
    draft = ItemDraft.objects.get(writer=cast.manager)
    done = client.post(
        draft_page(cast, draft.client_id), sheet(item.story, words, item=item.pk, sequence=draft.sequence)
    )
    assert done.status_code == 302
    item.refresh_from_db()
    assert item.current is not None
    assert (item.state, item.current.author) == (State.IN_REVIEW, cast.manager)


def test_it_keeps_the_proposal_that_an_option_grew_from(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    sent = sheet(story, do="save") | {"candidate-0": "7", "candidate-1": "x"}
    client.post(draft_page(cast, client_id), sent)
    assert [o.get("candidate") for o in ItemDraft.objects.get().content["options"]] == [7, None, None, None]
    assert 'name="candidate-0" value="7"' in client.get(draft_page(cast, client_id)).content.decode()


def test_it_escapes_what_people_type(cast: Cast, seen_by: SeenBy) -> None:
    story, client_id, client = make_story(cast), uuid.uuid4(), seen_by(cast.writer)
    nasty = "</textarea><script>alert(1)</script>"
    client.post(draft_page(cast, client_id), sheet(story, content(nasty, nasty, "b", "c", "d"), do="save"))
    for address in (draft_page(cast, client_id), f"/p/{cast.project.slug}/write"):
        assert "<script>alert" not in client.get(address).content.decode()


def test_it_asks_the_database_as_often_for_seven_items_of_a_story_as_for_three(
    cast: Cast, seen_by: SeenBy
) -> None:
    story, client = make_story(cast), seen_by(cast.writer)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(write_page(cast, story.pk, "?new=1")).status_code == 200
        return len(captured)

    def more(count: int) -> None:
        for _number in range(count):
            submit_item(cast, story=story)
            save_draft(
                actor=cast.writer, project=cast.project, story=story, task="commonsense",
                client_id=uuid.uuid4(), sequence=1, content={},
            )  # fmt: skip

    more(3)
    few = queries()
    more(4)
    assert queries() == few
