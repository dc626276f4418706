"""Where an option came from goes with it: through the desk, through revisions, through a reviewer's edit."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from annotation.content import ItemContent, OptionContent, to_json
from annotation.models import Cause, Item, State
from annotation.queries.item import revision_content
from annotation.services import apply_verdict, revise_item, save_draft, submit_draft
from generation.models import Adoption, Candidate
from generation.queries.batch import generators_of
from generation.services import submit_machine_item
from tests.factories import content, make_story, wording
from tests.generation.bench import Bench
from tests.generation.test_pages import drafted

__all__ = ["drafted"]
pytestmark = pytest.mark.django_db


def machine_item(bench: Bench) -> Item:
    found = Candidate.objects.filter(story=bench.story).order_by("pk")
    options = (OptionContent(one.text, candidate=one.pk) for one in found)
    words = ItemContent(options=(OptionContent("Steady wins the race.", is_key=True), *options))
    return submit_machine_item(actor=bench.cast.writer, story=bench.story, content=words)


def returned(bench: Bench, item: Item) -> Item:
    return apply_verdict(
        actor=bench.cast.reviewer,
        item=item,
        revision_id=wording(item).pk,
        to_state=State.RETURNED,
        cause=Cause.ALL_RETURN,
    )


def sources(item: Item) -> dict[int, int]:
    """The candidate of each option of the present wording, by position."""
    found = Adoption.objects.filter(option__revision=wording(item))
    return dict(found.values_list("option__position", "candidate"))


def test_it_keeps_provenance_when_a_returned_item_is_revised(drafted: Bench) -> None:
    item = machine_item(drafted)
    first = sources(item)
    assert sorted(first) == [1, 2, 3]
    words = revision_content(wording(returned(drafted, item)))
    edited = list(words.options)
    edited[1] = OptionContent(f"{edited[1].text.rstrip('.')} after all.")
    edited[2], edited[3] = edited[3], OptionContent("Bees never sleep at noon.")
    revise_item(actor=drafted.cast.writer, item=item, content=replace(words, options=tuple(edited)))
    assert wording(item).number == 2
    assert sources(item) == {1: first[1], 2: first[3]}
    assert generators_of(Item.objects.filter(pk=item.pk)) == {item.pk: ("stub-ok",)}
    kept = Adoption.objects.get(option__revision=wording(item), option__position=1)
    assert kept.original_text == kept.candidate.text != kept.option.text
    assert 0 < kept.edit_distance < 1


def test_it_keeps_provenance_through_a_reviewers_edit(drafted: Bench) -> None:
    item = machine_item(drafted)
    first, words = sources(item), revision_content(wording(item))
    revise_item(
        actor=drafted.cast.reviewer,
        item=item,
        content=replace(words, stem="Which moral fits best?"),
        to_state=State.IN_VERIFICATION,
        cause=Cause.EDIT_ADOPTED,
    )
    assert sources(item) == first
    assert set(Adoption.objects.values_list("adopted_by", flat=True)) == {drafted.cast.writer.pk}


def test_it_keeps_provenance_of_what_the_desk_hands_in(drafted: Bench) -> None:
    candidate = Candidate.objects.filter(story=drafted.story).order_by("pk")[0]
    foreign = Candidate.objects.filter(story=drafted.story).order_by("pk")[1]
    foreign.story = make_story(drafted.cast)
    foreign.save(update_fields=["story"])
    words = content()
    options = list(words.options)
    options[0] = OptionContent(candidate.text, candidate=candidate.pk)
    options[2] = replace(options[2], candidate=foreign.pk)
    options[3] = replace(options[3], candidate=10**12)
    draft = save_draft(
        actor=drafted.cast.writer,
        project=drafted.cast.project,
        story=drafted.story,
        task="commonsense",
        client_id=uuid4(),
        sequence=1,
        content=to_json(replace(words, options=tuple(options))),
    )
    item = submit_draft(actor=drafted.cast.writer, draft=draft)
    assert sources(item) == {0: candidate.pk}
    assert generators_of(Item.objects.filter(pk=item.pk)) == {item.pk: ("stub-ok",)}
