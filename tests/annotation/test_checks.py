"""An item is judged while it is typed, and before it is handed in."""

import re
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

from annotation.content import to_json
from annotation.models import ItemDraft
from annotation.queries import sibling
from annotation.services import create_item, discard_draft, empty_bin, save_draft, submit_draft
from annotation.tasks import empty_bin as empty_bin_task
from core.errors import Unusable
from corpus.models import Story
from tests.annotation.conftest import SeenBy
from tests.annotation.sheets import draft_api, draft_page, save_of, sheet
from tests.factories import Cast, content, make_story, submit_item, wording

pytestmark = pytest.mark.django_db

LONG = ("It was late", "It felt far too sure of itself to run any more", "It was ill", "It was night")
LETTERED = ("A. late", "B. proud", "C. ill", "D. dark")


def draft_of(cast: Cast, story: Story, words: object) -> ItemDraft:
    return save_draft(
        actor=cast.writer, project=cast.project, story=story, task="commonsense",
        client_id=uuid.uuid4(), sequence=1, content=to_json(words),  # type: ignore[arg-type]
    )  # fmt: skip


def test_it_judges_a_writer_by_the_newest_of_their_own_items(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sibling, "MOST_OWN", 2)
    for number in range(4):
        submit_item(cast, words=content(f"Why did the hare fall asleep on day {number}?"))
    submit_item(cast, writer=cast.writer2, words=content("Why did the hare wake up?"))
    found = sibling.own_items(cast.writer, cast.project)
    assert [view.stem[-2] for view in found] == ["3", "2"]
    assert [option.text for option in found[0].options] == [option.text for option in content().options]
    assert [option.is_key for option in found[0].options] == [False, True, False, False]


def test_it_keeps_what_the_newest_items_show_until_another_is_among_them(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sibling, "MOST_OWN", 2)
    submit_item(cast)
    submit_item(cast)
    assert sibling.own_shares(cast.writer, cast.project).longest_key.count == 2
    with monkeypatch.context() as patched:
        patched.setattr(sibling, "shares", None)
        assert sibling.own_shares(cast.writer, cast.project).longest_key.count == 2, "kept"
    short = content("Why did it sleep?", "It was late at night", "Pride", "It was ill at ease", "Rain")
    submit_item(cast, words=short)
    assert sibling.own_shares(cast.writer, cast.project).longest_key.count == 1
    assert sibling.own_shares(cast.writer2, cast.project).items == 0


def test_it_says_what_is_wrong_why_and_how_to_mend_it_each_thing_once(cast: Cast, seen_by: SeenBy) -> None:
    client, client_id, story = seen_by(cast.writer), uuid.uuid4(), make_story(cast)
    words = replace(content("Why?", *LONG), types=(), explanation="")
    words = replace(words, options=tuple(replace(one, is_key=False) for one in words.options))
    client.put(draft_api(client_id), save_of(cast, story, words), content_type="application/json")
    found = client.post(f"{draft_api(client_id)}check/").json()["problems"]
    assert [one["code"] for one in found] == ["type_missing", "key_missing", "explanation_missing"]
    assert all(one["severity"] == "error" and one["why"] and one["fix"] for one in found)
    page = client.get(draft_page(cast, client_id)).content.decode()
    shown = re.sub("<template.*?</template>", "", page, flags=re.DOTALL)  # notices are not shown yet
    assert shown.count("Mark the key.") == 1


def test_it_speaks_the_readers_language(cast: Cast, seen_by: SeenBy) -> None:
    client, client_id, story = seen_by(cast.writer), uuid.uuid4(), make_story(cast)
    client.put(
        draft_api(client_id), save_of(cast, story, content("Why?", *LONG)), content_type="application/json"
    )
    found = client.post(f"{draft_api(client_id)}check/", headers={"Accept-Language": "zh-Hans"}).json()
    assert [one["code"] for one in found["problems"]] == ["longest_key"]
    assert found["problems"][0]["fix"] == "缩短正确选项，或把干扰项写得同样具体。"


def test_it_lets_no_error_of_a_check_through(cast: Cast) -> None:
    story = make_story(cast)
    with override("en"), pytest.raises(Unusable) as refused:
        create_item(
            actor=cast.writer, project=cast.project, story=story, task="commonsense",
            content=content("Why did it sleep?", *LETTERED),
        )  # fmt: skip
    assert refused.value.fields["option-1"] == "Option 1 begins with the letter A."


def test_it_waits_for_an_answer_to_a_warning_and_keeps_it_with_the_item(cast: Cast, seen_by: SeenBy) -> None:
    client, client_id, story = seen_by(cast.writer), uuid.uuid4(), make_story(cast)
    words = content("Why did it sleep?", *LONG)
    refused = client.post(draft_page(cast, client_id), sheet(story, words))
    assert refused.status_code == 400
    assert "explain why the text is right" in refused.content.decode()
    [warning] = client.post(f"{draft_api(client_id)}check/").json()["problems"]
    answer = {f"answer-{warning['key']}": "The story says so."}
    done = client.post(draft_page(cast, client_id), sheet(story, words, sequence=1, **answer))
    assert done.status_code == 302
    draft = ItemDraft.objects.get()
    assert draft.item is not None
    assert wording(draft.item).answered_warnings == {"longest_key": "The story says so."}


def test_it_forgets_an_answer_with_the_text_it_spoke_of(cast: Cast, seen_by: SeenBy) -> None:
    client, client_id, story = seen_by(cast.writer), uuid.uuid4(), make_story(cast)
    client.post(draft_page(cast, client_id), sheet(story, content("Why?", *LONG), do="save"))
    [warning] = client.post(f"{draft_api(client_id)}check/").json()["problems"]
    answer = {f"answer-{warning['key']}": "The story says so."}
    longer = (LONG[0], LONG[1] + " than it had", *LONG[2:])
    for sequence, words, kept in (
        (1, content("Why now?", *LONG), True),
        (2, content("Why?", *longer), False),
    ):
        client.post(draft_page(cast, client_id), sheet(story, words, do="save", sequence=sequence, **answer))
        [warning] = client.post(f"{draft_api(client_id)}check/").json()["problems"]
        assert bool(warning["reason"]) is kept


def test_it_asks_no_more_of_the_database_for_many_siblings(cast: Cast, seen_by: SeenBy) -> None:
    client, client_id, story = seen_by(cast.writer), uuid.uuid4(), make_story(cast)
    client.put(draft_api(client_id), save_of(cast, story), content_type="application/json")

    def check() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.post(f"{draft_api(client_id)}check/")
        return len(queries)

    check()
    alone = check()
    for number in range(30):
        submit_item(cast, story=story, words=content(f"Why did hare number {number} fall asleep?"))
    assert check() == alone


def test_it_shows_a_writer_their_own_share(cast: Cast, seen_by: SeenBy) -> None:
    desk = f"/p/{cast.project.slug}/write"
    for _number in range(4):
        submit_item(cast, words=content("Why did it sleep?", *LONG))
    assert "Your key is the longest" not in seen_by(cast.writer).get(desk).content.decode()
    submit_item(cast)
    submit_item(cast, writer=cast.writer2)
    assert "Your key is the longest option in 5 of 5" in seen_by(cast.writer).get(desk).content.decode()
    assert "Your key is the longest" not in seen_by(cast.writer2).get(desk).content.decode()


def test_it_empties_the_bin_after_thirty_days_and_spares_all_else(cast: Cast) -> None:
    story = make_story(cast)
    old, fresh, living, handed_in = (draft_of(cast, story, content(f"Why {n}?")) for n in range(4))
    submit_draft(actor=cast.writer, draft=handed_in)
    for draft in (old, fresh):
        discard_draft(actor=cast.writer, draft=draft)
    ItemDraft.objects.filter(pk=old.pk).update(deleted_at=timezone.now() - timedelta(days=31))
    assert empty_bin() == 1
    assert set(ItemDraft.objects.values_list("pk", flat=True)) == {fresh.pk, living.pk, handed_in.pk}
    empty_bin_task()
