"""Wrong options for a commonsense stem: asked from the desk, paid once, taken with their provenance."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content import ItemContent, OptionContent, from_json, to_json
from annotation.models import Cause, Item, KeyExposure, State
from annotation.services import apply_verdict, revise_item, save_draft, submit_draft
from core.errors import Conflict, Forbidden, Unusable
from generation import services
from generation.models import Adoption, Candidate, PromptTemplate, Purpose, StemQuestion
from generation.prompt import fill_stem_prompt, not_understood
from generation.queries.batch import generators_of, sheet, story_templates
from generation.queries.stem import offers_of
from generation.queries.trial import Provider, providers_that_saw
from generation.queries.yields import Filter, report
from generation.services import OptionsOrder
from jobs.models import Call, EndpointKind
from jobs.services import create_endpoint
from projects.models import Role
from projects.services import set_roles
from tests.factories import content, wording
from tests.generation.bench import Bench, work_off
from tests.generation.solver import saved_draft, signed_in

pytestmark = pytest.mark.django_db
PROMPT = "{story}\n\nQuestion: {stem}\nRight: {key}\n\nGive {n} wrong answers."


def stem_template(bench: Bench, text: str = PROMPT, name: str = "Wrong answers") -> PromptTemplate:
    return services.create_template(
        actor=bench.cast.writer,
        project=bench.cast.project,
        name=name,
        text=text,
        purpose=Purpose.WRONG_OPTIONS,
    )


def begun() -> ItemContent:
    """A stem with its key and three options that are still empty."""
    words = content()
    options = tuple(one if one.is_key else OptionContent("") for one in words.options)
    return replace(words, options=options)


def ask(bench: Bench, template: PromptTemplate, draft: uuid.UUID, **changes: Any) -> OptionsOrder:
    wanted = {
        "actor": bench.cast.writer,
        "story": bench.story,
        "draft": draft,
        "content": begun(),
        "template": template,
        "endpoint": bench.endpoint,
    }
    asked = services.ask_for_options(**{**wanted, **changes})
    work_off(asked.waiting)
    return asked


def address(bench: Bench, draft: uuid.UUID) -> str:
    return reverse("generation:stem_options", args=[bench.cast.project.slug, bench.story.pk, draft])


def desk_fields(words: ItemContent) -> dict[str, str]:
    key = next(str(index) for index, option in enumerate(words.options) if option.is_key)
    texts = {f"option-{index}": option.text for index, option in enumerate(words.options)}
    return {"stem": words.stem, "key": key, **texts}


def test_it_sends_the_stem_and_the_key_and_never_the_moral(bench: Bench) -> None:
    ask(bench, stem_template(bench), uuid.uuid4())
    prompt = Call.objects.get().prompt
    assert "Question: Why did the hare fall asleep?\nRight: It felt sure of winning\n" in prompt
    assert "Give 3 wrong answers." in prompt
    assert "Slow and steady" not in prompt
    assert not KeyExposure.objects.exists()


def test_it_fills_the_stem_in_plainly() -> None:
    said = fill_stem_prompt("{stem}|{key}|{moral}", title="", story="", stem="{key} {n}", key="k", wanted=3)
    assert said == "{key} {n}|k|{moral}"
    assert not_understood("{story} {stem} {kee}") == ("{kee}", "{stem}")
    assert not_understood("{story} {stem} {kee}", about_stem=True) == ("{kee}",)


def test_it_takes_a_prompt_about_a_stem_only_with_the_stem_and_without_the_moral(bench: Bench) -> None:
    for text in ("{story} Give wrong answers.", "{story} {stem} {moral}"):
        with pytest.raises(Unusable) as refused:
            stem_template(bench, text)
        assert "text" in refused.value.fields
    with pytest.raises(Unusable):
        services.create_template(
            actor=bench.cast.writer, project=bench.cast.project, name="Morals", text="{stem} {key}"
        )


def test_it_asks_prompts_about_a_stem_from_the_desk_only(bench: Bench) -> None:
    template = stem_template(bench)
    with pytest.raises(Unusable):
        bench.start(templates=[template])
    assert template not in story_templates(bench.cast.project)
    with pytest.raises(Unusable):
        ask(bench, bench.template, uuid.uuid4())


def test_it_pays_the_same_words_once_and_shows_them_to_all_who_ask(bench: Bench) -> None:
    template, draft = stem_template(bench), uuid.uuid4()
    first = ask(bench, template, draft)
    assert not first.is_earlier
    assert ask(bench, template, draft).question == first.question
    other = ask(bench, template, uuid.uuid4(), actor=bench.cast.writer2)
    assert (other.is_earlier, other.question.call) == (True, first.question.call)
    assert Call.objects.count() == 1
    reworded = replace(begun(), stem="Why did the hare rest?")
    assert not ask(bench, template, draft, content=reworded).is_earlier
    assert not ask(bench, template, draft, again=True).is_earlier
    assert Call.objects.count() == 3


def test_it_does_not_show_a_reviewer_which_key_somebody_else_asked_with(bench: Bench) -> None:
    """An answer that is there at once would say: with this key the item in your hands was written."""
    template, cast = stem_template(bench), bench.cast
    ask(bench, template, uuid.uuid4())
    for role in (Role.REVIEWER, Role.VERIFIER):
        set_roles(actor=cast.manager, project=cast.project, user=cast.writer2, roles=[Role.WRITER, role])
        draft = uuid.uuid4()
        asked = ask(bench, template, draft, actor=cast.writer2, again=role == Role.VERIFIER)
        assert not asked.is_earlier
        assert ask(bench, template, draft, actor=cast.writer2).is_earlier, "one's own is paid once"
    blank = stem_template(bench, "{story} {stem} {n}", "Without the key")
    ask(bench, blank, uuid.uuid4())
    assert ask(bench, blank, uuid.uuid4(), actor=cast.writer2).is_earlier, "nothing to learn from it"


def test_it_asks_again_where_the_call_failed(bench: Bench) -> None:
    endpoint, draft = bench.add_endpoint("gone", "stub-401"), uuid.uuid4()
    template = stem_template(bench)
    failed = ask(bench, template, draft, endpoint=endpoint)
    (shown,) = offers_of(bench.cast.writer, bench.story, draft, begun())
    assert (shown.offers, shown.waits) == ((), False)
    assert shown.reason
    assert ask(bench, template, draft, endpoint=endpoint).question != failed.question


def test_it_says_what_is_missing_before_it_asks(bench: Bench) -> None:
    template = stem_template(bench)
    for words in (replace(begun(), stem=" "), replace(begun(), options=(OptionContent("Right?"),))):
        with pytest.raises(Unusable):
            ask(bench, template, uuid.uuid4(), content=words)
    keyless = stem_template(bench, "{story} {stem} {n}", "Without the key")
    assert ask(bench, keyless, uuid.uuid4(), content=ItemContent(stem="Why?")).waiting
    with pytest.raises(Forbidden):
        ask(bench, template, uuid.uuid4(), actor=bench.cast.reviewer)
    assert not StemQuestion.objects.filter(asked_by=bench.cast.reviewer).exists()


def test_it_judges_proposals_beside_the_key_as_it_stands(bench: Bench) -> None:
    draft = uuid.uuid4()
    ask(bench, stem_template(bench), draft)
    candidate = Candidate.objects.order_by("pk")[0]
    words = begun()
    same = replace(words, options=(OptionContent(candidate.text, is_key=True),))
    found = offers_of(bench.cast.writer, bench.story, draft, same)[0]
    assert "close_to_key" in {flag.code for flag in found.offers[0].flags}
    assert not found.is_current
    short = replace(words, options=(OptionContent("No", is_key=True),))
    found = offers_of(bench.cast.writer, bench.story, draft, short)[0]
    assert "longer" in {flag.code for flag in found.offers[0].flags}
    assert offers_of(bench.cast.writer2, bench.story, draft, words) == []


def test_it_keeps_them_off_the_page_of_the_moral(bench: Bench) -> None:
    ask(bench, stem_template(bench), uuid.uuid4())
    assert Candidate.objects.count() == 3
    assert sheet(bench.story).proposals == ()
    words = ItemContent(
        options=(
            OptionContent("Steady wins.", is_key=True),
            *(OptionContent(one.text, candidate=one.pk) for one in Candidate.objects.order_by("pk")),
        )
    )
    with pytest.raises(Unusable, match="for a stem"):
        services.submit_machine_item(actor=bench.cast.writer, story=bench.story, content=words)


def test_it_carries_where_an_option_came_from_through_submission_and_revision(bench: Bench) -> None:
    draft = saved_draft(bench, begun())
    ask(bench, stem_template(bench), draft.client_id)
    candidates = list(Candidate.objects.order_by("pk"))
    for candidate in candidates:
        draft = services.take_option(actor=bench.cast.writer, draft=draft, candidate=candidate)
    with pytest.raises(Conflict):
        services.take_option(actor=bench.cast.writer, draft=draft, candidate=candidates[0])
    item = submit_draft(actor=bench.cast.writer, draft=draft)
    assert set(Adoption.objects.values_list("candidate", flat=True)) == {one.pk for one in candidates}
    assert generators_of(Item.objects.filter(pk=item.pk)) == {item.pk: ("stub-ok",)}
    row = report(bench.cast.project, Filter(purpose=Purpose.WRONG_OPTIONS)).total
    assert (row.proposed, row.kept, row.distractors) == (3, 3, 3)
    assert providers_that_saw([item])[item.pk] == (Provider("stub-ok", "127.0.0.1"),)
    apply_verdict(
        actor=bench.cast.reviewer,
        item=item,
        revision_id=wording(item).pk,
        to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
    )
    reworded = replace(from_json(draft.content), stem="Why did the hare lie down?")
    plain = replace(reworded, options=tuple(replace(one, candidate=None) for one in reworded.options))
    revise_item(actor=bench.cast.writer, item=item, content=plain)
    assert wording(item).number == 2
    assert Adoption.objects.filter(option__revision=wording(item)).count() == 3


def test_it_takes_only_what_one_asked_for_this_draft(bench: Bench) -> None:
    draft = saved_draft(bench, begun())
    ask(bench, stem_template(bench), uuid.uuid4())
    with pytest.raises(Unusable):
        services.take_option(actor=bench.cast.writer, draft=draft, candidate=Candidate.objects.all()[0])


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_asks_shows_and_takes_without_a_script(
    bench: Bench, django_capture_on_commit_callbacks: Any
) -> None:
    template, draft = stem_template(bench), saved_draft(bench, begun())
    client, where = signed_in(bench.cast.writer), address(bench, draft.client_id)
    chosen = {"template": str(template.pk), "endpoint": str(bench.endpoint.pk)}
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(where, chosen).status_code == 302
    page = client.get(where).content.decode()
    candidate = Candidate.objects.order_by("pk")[0]
    assert candidate.text in page
    assert client.post(where, {"take": str(candidate.pk)}).status_code == 302
    draft.refresh_from_db()
    assert from_json(draft.content).options[0] == OptionContent(candidate.text, candidate=candidate.pk)
    assert "Option 1" in client.get(where).content.decode()


@pytest.mark.usefixtures("_tasks_run_at_once")
def test_it_asks_about_what_stands_on_the_sheet(
    bench: Bench, django_capture_on_commit_callbacks: Any
) -> None:
    template = stem_template(bench)
    client, where = signed_in(bench.cast.writer), address(bench, uuid.uuid4())
    sent = desk_fields(replace(begun(), stem="Typed just now?"))
    sent |= {"template": str(template.pk), "endpoint": str(bench.endpoint.pk)}
    with django_capture_on_commit_callbacks(execute=True):
        asked = client.post(where, sent, headers={"HX-Request": "true"}).content.decode()
    assert "Waiting for the answer." in asked
    assert 'hx-trigger="load delay' in asked
    assert "Question: Typed just now?" in Call.objects.get().prompt
    again = client.post(where, sent, headers={"HX-Request": "true"}).content.decode()
    assert "at no cost." in again
    assert 'hx-trigger="load delay' not in again
    refused = client.post(where, sent | {"stem": ""}, headers={"HX-Request": "true"})
    assert refused.status_code == 200
    assert "Write the stem first" in refused.content.decode()


def test_it_works_by_hand(bench: Bench) -> None:
    template = stem_template(bench)
    chat = create_endpoint(
        actor=bench.cast.manager,
        project=bench.cast.project,
        name="Chat site",
        model="a chat site",
        kind=EndpointKind.MANUAL,
    )
    draft = saved_draft(bench, begun())
    client, where = signed_in(bench.cast.writer), address(bench, draft.client_id)
    sent = desk_fields(begun()) | {"template": str(template.pk), "endpoint": str(chat.pk)}
    page = client.post(where, sent, headers={"HX-Request": "true"}).content.decode()
    assert "Right: It felt sure of winning" in page
    answer = {
        "asked_stem": "Why did the hare fall asleep?",
        "asked_key": "It felt sure of winning",
        "model": "kimi-k2",
        "answer": "1. It was <b>ill</b>.\n2. The road was wet.",
    }
    kept = client.post(where, sent | answer, headers={"HX-Request": "true"}).content.decode()
    assert "It was &lt;b&gt;ill&lt;/b&gt;." in kept
    assert list(Candidate.objects.values_list("generator", flat=True)) == ["kimi-k2", "kimi-k2"]
    assert StemQuestion.objects.get().stem == "Why did the hare fall asleep?"
    empty = client.post(where, sent | answer | {"answer": "   "}, headers={"HX-Request": "true"})
    assert "hand_answer" in empty.content.decode()
    assert StemQuestion.objects.count() == 1


def test_it_opens_to_people_who_write_and_to_their_own_draft(bench: Bench) -> None:
    cast, draft = bench.cast, uuid.uuid4()
    people = (cast.writer, cast.manager, cast.reviewer, cast.verifier, cast.outsider)
    where = address(bench, draft)
    assert [signed_in(user).get(where).status_code for user in people] == [200, 200, 403, 403, 404]
    moral = save_draft(
        actor=cast.writer,
        project=cast.project,
        story=bench.story,
        task="moral",
        client_id=uuid.uuid4(),
        sequence=1,
        content=to_json(content()),
    )
    assert signed_in(cast.writer).get(address(bench, moral.client_id)).status_code == 404
    desk = signed_in(cast.writer).get(reverse("annotation:write", args=[cast.project.slug, bench.story.pk]))
    assert f"/candidates/{bench.story.pk}/options/" in desk.content.decode()


def test_it_asks_the_same_number_of_queries_for_any_number_of_questions(bench: Bench) -> None:
    template, draft = stem_template(bench), saved_draft(bench, begun())
    client, where = signed_in(bench.cast.writer), address(bench, draft.client_id)
    ask(bench, template, draft.client_id)
    client.get(where)
    with CaptureQueriesContext(connection) as few:
        client.get(where)
    for _ in range(5):
        ask(bench, template, draft.client_id, again=True)
    with CaptureQueriesContext(connection) as many:
        client.get(where)
    assert len(many) == len(few)


def test_it_previews_a_prompt_about_a_stem_without_a_test_run(bench: Bench) -> None:
    client = signed_in(bench.cast.writer)
    where = reverse("generation:new_prompt", args=[bench.cast.project.slug])
    sent = {"name": "Wrong answers", "purpose": "wrong_options", "wanted": "3", "text": PROMPT}
    page = client.post(where, sent | {"preview": "1"}).content.decode()
    assert "Question: (the item&#x27;s stem)" in page
    assert 'name="test"' not in page
