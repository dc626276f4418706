"""A model is asked to solve an item while it is being written: recorded, shown to its writer, paid once."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.content import ItemContent, OptionContent
from annotation.models import ItemDraft
from annotation.services import empty_bin, submit_draft
from core.errors import Forbidden, Hidden, Unusable
from generation import services
from generation.models import Outcome, Trial
from generation.queries.trial import TRY, providers_that_saw, tally, trials_of
from generation.trial import pose
from jobs import hooks
from jobs.models import Call, CallState, Job
from jobs.services import wake_calls
from parable.llm.stub import StubServer
from tests.factories import content
from tests.generation.bench import Bench
from tests.generation.solver import ask, letter_of, posed, saved_draft, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """A bench whose endpoint says what a test lets it say."""
    return replace(bench, endpoint=bench.add_endpoint("solver", "stub-plain", price_in=1, price_out=2))


def test_it_asks_story_stem_and_options_and_neither_key_nor_moral_nor_explanation(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(monkeypatch, "B")
    words = content(explanation="Because it ran too fast.")
    ask(bench, words)
    prompt = Call.objects.get().prompt
    current = bench.story.current
    assert current is not None
    assert current.text in prompt
    assert words.stem in prompt
    assert all(option.text in prompt for option in words.options)
    assert current.moral not in prompt
    assert words.explanation not in prompt


def test_it_says_whether_the_model_chose_the_key(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = posed(bench, content())
    say(monkeypatch, f"The answer is {letter_of(shown.key)}.")
    right = ask(bench).trial
    assert (right.outcome, right.choice, right.is_correct) == (Outcome.CHOSEN, shown.key, True)
    say(monkeypatch, letter_of((shown.key + 1) % 4))
    wrong = ask(bench, again=True).trial
    assert (wrong.outcome, wrong.is_correct) == (Outcome.CHOSEN, False)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("A or B", Outcome.AMBIGUOUS),
        ("Hm.", Outcome.UNPARSED),
        ("I'm sorry, I can't help with that.", Outcome.REFUSED),
    ],
)
def test_it_guesses_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch, said: str, outcome: str) -> None:
    say(monkeypatch, said)
    trial = ask(bench).trial
    assert (trial.outcome, trial.choice, trial.is_correct) == (outcome, None, None)


def test_it_shows_options_in_an_order_that_does_not_follow_the_writers() -> None:
    texts = ["one apple", "two pears", "three plums", "four figs"]
    first = pose(story="s", language="en", stem="?", options=texts, key="two pears")
    again = pose(story="s", language="en", stem="?", options=texts[::-1], key="two pears")
    assert first == again
    assert first.options[first.key] == "two pears"
    places = {
        pose(story=f"story {n}", language="en", stem="?", options=texts, key="two pears").key
        for n in range(40)
    }
    assert places == {0, 1, 2, 3}


def test_it_does_not_pay_twice_for_the_same_words(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "B")
    draft = uuid.uuid4()
    first = ask(bench, draft=draft)
    words = content()
    other_order = replace(words, options=words.options[::-1], explanation="Another one.")
    second = ask(bench, other_order, draft=draft)
    assert (first.is_earlier, second.is_earlier, second.trial) == (False, True, first.trial)
    assert len(bench.stub.log) == 1
    assert ask(bench, draft=draft, again=True).trial != first.trial
    assert ask(bench, content("Why did the tortoise win?"), draft=draft).is_earlier is False
    assert len(bench.stub.log) == 3


def test_it_asks_again_by_itself_after_a_failure(bench: Bench) -> None:
    broken = bench.add_endpoint("locked", "stub-401")
    draft = uuid.uuid4()
    assert ask(bench, endpoint=broken, draft=draft).trial.outcome == ""
    assert ask(bench, endpoint=broken, draft=draft).is_earlier is False
    shown = trials_of(bench.cast.writer, bench.cast.project, draft)
    assert [one.status for one in shown] == ["failed", "failed"]
    assert shown[0].reason == "The server requires an API key, but none is set."


def test_it_distinguishes_a_content_filter_from_a_failure(bench: Bench) -> None:
    draft = uuid.uuid4()
    ask(bench, endpoint=bench.add_endpoint("filtered", "stub-refusal"), draft=draft)
    shown = trials_of(bench.cast.writer, bench.cast.project, draft)
    assert [(one.status, one.reason) for one in shown] == [
        ("refused", "A content filter blocked the question or the answer.")
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (content(""), "stem"),
        (ItemContent(stem="Why?", options=(OptionContent("one", is_key=True),)), "two options"),
        (content("Why?", "one", "two", key=5), "key"),
        (content("Why?", "one", "One ", key=0), "same"),
    ],
)
def test_it_says_what_an_item_lacks_before_it_can_be_tried(
    bench: Bench, words: ItemContent, said: str
) -> None:
    with pytest.raises(Unusable, match=said):
        ask(bench, words)
    assert not Job.objects.exists()


def test_it_is_for_people_who_write_and_for_endpoints_of_the_project(bench: Bench) -> None:
    with pytest.raises(Forbidden):
        ask(bench, actor=bench.cast.reviewer)
    with pytest.raises(Hidden):
        ask(bench, actor=bench.cast.outsider)
    manual = bench.add_endpoint("chat", "any", kind="by_hand", base_url="")
    with pytest.raises(Unusable):
        ask(bench, endpoint=manual)
    assert not bench.stub.log


def test_it_counts_models_by_their_newest_answer_to_the_present_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = posed(bench, content())
    draft, key = uuid.uuid4(), shown.options[shown.key]
    other = bench.add_endpoint("second", "stub-plain")
    say(monkeypatch, letter_of((shown.key + 1) % 4))
    ask(bench, draft=draft)
    say(monkeypatch, letter_of(shown.key))
    ask(bench, draft=draft, again=True)
    ask(bench, draft=draft, endpoint=other)
    ask(bench, draft=draft, endpoint=bench.add_endpoint("locked", "stub-401"))
    found = trials_of(bench.cast.writer, bench.cast.project, draft, words=shown.words, key=key)
    assert (tally(found).asked, tally(found).solved) == (2, 2)
    later = posed(bench, content("Another stem?"))
    of_others = trials_of(bench.cast.writer, bench.cast.project, draft, words=later.words, key=key)
    assert tally(of_others).asked == 0
    assert not any(one.is_current for one in of_others)


def test_it_judges_an_earlier_answer_by_the_key_that_stands_now(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = content()
    shown = posed(bench, words)
    say(monkeypatch, letter_of(shown.key))
    draft = uuid.uuid4()
    ask(bench, words, draft=draft)
    moved = next(text for text in shown.options if text != shown.options[shown.key])
    found = trials_of(bench.cast.writer, bench.cast.project, draft, words=shown.words, key=moved)
    assert [one.solved for one in found] == [False]


def test_it_never_shows_one_writers_key_to_another(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = posed(bench, content())
    say(monkeypatch, letter_of(shown.key))
    ask(bench)
    found = trials_of(bench.cast.writer2, bench.cast.project, uuid.uuid4(), words=shown.words)
    assert [one.solved for one in found] == [None]
    assert trials_of(bench.cast.writer2, bench.cast.project, uuid.uuid4()) == []


def test_it_hands_trials_to_workers_of_its_own_kind(bench: Bench) -> None:
    assert TRY in hooks.served()
    started = services.try_item(
        actor=bench.cast.writer,
        story=bench.story,
        draft=uuid.uuid4(),
        content=content(),
        endpoint=bench.endpoint,
    )
    call = started.trial.call
    assert (started.waiting, call.state, call.job.kind) == ([call.pk], CallState.PENDING, TRY)
    assert wake_calls(job_id=call.job_id) == []


def test_it_remembers_which_providers_saw_an_item_before_its_release(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(monkeypatch, "A")
    tried, untried = saved_draft(bench, content()), saved_draft(bench, content("Why did the tortoise win?"))
    ask(bench, draft=tried.client_id)
    ask(bench, draft=tried.client_id, endpoint=bench.add_endpoint("locked", "stub-401"))
    items = [submit_draft(actor=bench.cast.writer, draft=draft) for draft in (tried, untried)]
    saw = providers_that_saw(items)
    assert [(one.model, one.host) for one in saw[items[0].pk]] == [
        ("stub-401", "127.0.0.1"),
        ("stub-plain", "127.0.0.1"),
    ]
    assert saw[items[1].pk] == ()


def test_it_outlives_the_draft_that_it_was_made_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "A")
    draft = saved_draft(bench, content())
    ask(bench, draft=draft.client_id)
    ItemDraft.objects.filter(pk=draft.pk).update(deleted_at=timezone.now() - timedelta(days=31))
    assert empty_bin() == 1
    assert Trial.objects.count() == 1


def test_it_leaves_no_key_in_the_call(
    bench: Bench, stub: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(monkeypatch, "A")
    ask(bench)
    call = Call.objects.get()
    assert set(call.subject) <= {"solves", "answered_by", "finish_reason"}
    assert "key" not in json.dumps(call.subject)
