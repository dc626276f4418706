"""Candidates become options: picked, rewritten, submitted as a machine-style item with their provenance."""

from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.errors import Unusable, require
from accounts.models import User
from annotation import services as annotation
from annotation.content import ItemContent, from_json, tidy, to_json, trim
from annotation.models import Item, ItemDraft, Option, Style, Task
from annotation.services.checks import Told
from corpus.models import Story
from generation.models import Adoption, Candidate, Purpose
from generation.permissions import may_draft
from generation.similarity import edit_distance
from parable.quality.item import ERROR

# A wrong moral cannot be the key, and another wording of the moral cannot be wrong.
MAY_BE_KEY = frozenset({Purpose.MORAL_WORDINGS, Purpose.FREE})
MAY_BE_WRONG = frozenset({Purpose.WRONG_MORALS, Purpose.WRONG_OPTIONS, Purpose.FREE})


def save_machine_draft(
    *, actor: User, story: Story, client_id: UUID, sequence: int, content: ItemContent
) -> ItemDraft:
    """Keep what is being put together; no rule applies. Raises what `annotation.save_draft` raises."""
    require(may_draft(actor, story.project))
    return annotation.save_draft(
        actor=actor,
        project=story.project,
        story=story,
        task=Task.MORAL,
        style=Style.MACHINE,
        client_id=client_id,
        sequence=sequence,
        content=to_json(_with_stem(story, content)),
    )


@transaction.atomic
def submit_machine_item(*, actor: User, story: Story, content: ItemContent) -> Item:
    """Hand in a machine-style moral item; which candidate each option grew from is kept with it.

    The stem is the project's own. The key is the moral, a rewording by hand, or a candidate that asked
    for wordings of the moral; at least one distractor grew from a candidate. Raises `Unusable` naming
    the options that will not do.
    """
    content = _with_stem(story, content)
    candidates = _checked_sources(actor, story, content)
    item = annotation.create_item(
        actor=actor,
        project=story.project,
        story=story,
        task=Task.MORAL,
        style=Style.MACHINE,
        content=content,
    )
    _adopt(actor, item, content, candidates)
    return item


@transaction.atomic
def submit_machine_draft(*, actor: User, draft: ItemDraft) -> Item:
    """Hand in what was put together on the page, by the rules of `submit_machine_item`; twice is once."""
    locked = ItemDraft.objects.select_for_update(of=("self",)).select_related("story__project")
    draft = locked.get(pk=draft.pk)
    if draft.submitted_as_id is not None:
        return annotation.submit_draft(actor=actor, draft=draft)
    content = from_json(draft.content)
    candidates = _checked_sources(actor, draft.story, content)
    item = annotation.submit_draft(actor=actor, draft=draft)
    _adopt(actor, item, content, candidates)
    return item


def tell_of_slots(story: Story, content: ItemContent) -> list[Told]:
    """All that is wrong with the slots as they stand, errors first, in the reader's language.

    What is said of sources is what `submit_machine_draft` refuses; the rest is what the desk's checks find.
    """
    candidates = _named_candidates(story, content)
    found = annotation.judge_content(
        _with_stem(story, content), project=story.project, story=story, task=Task.MORAL, style=Style.MACHINE
    )
    told = [annotation.tell(remark) for remark in found]
    return [*_told_of_sources(_source_problems(content, candidates)), *told]


def _told_of_sources(problems: dict[str, str]) -> list[Told]:
    return [
        Told("source", ERROR, place, annotation.place_name(place), message, "", "", "", "")
        for place, message in problems.items()
    ]


def _named_candidates(story: Story, content: ItemContent) -> dict[int, Candidate]:
    named = {option.candidate for option in content.options if option.candidate is not None}
    found = Candidate.objects.filter(story=story, pk__in=named).select_related("template")
    return {candidate.pk: candidate for candidate in found}


def _with_stem(story: Story, content: ItemContent) -> ItemContent:
    return replace(content, stem=story.project.moral_stem)


def _checked_sources(actor: User, story: Story, content: ItemContent) -> dict[int, Candidate]:
    """The candidates that the options name, by id; raises `Unusable` where one may not stand there."""
    require(may_draft(actor, story.project))
    candidates = _named_candidates(story, content)
    problems = _source_problems(content, candidates)
    if problems:
        raise Unusable(" ".join(dict.fromkeys(problems.values())), problems)
    return candidates


def _source_problems(content: ItemContent, candidates: dict[int, Candidate]) -> dict[str, str]:
    problems: dict[str, str] = {}
    grown = 0
    for number, option in enumerate(trim(content).options, start=1):
        if option.candidate is None or not option.text:
            continue
        candidate = candidates.get(option.candidate)
        purpose = candidate.template.purpose if candidate else ""
        grown += not option.is_key
        if candidate is None:
            problems[f"option-{number}"] = _("This proposal does not belong to the story.")
        elif option.is_key and purpose not in MAY_BE_KEY:
            problems[f"option-{number}"] = _("A wrong moral cannot be the key.")
        elif not option.is_key and purpose not in MAY_BE_WRONG:
            problems[f"option-{number}"] = _("Another wording of the moral is right, not wrong.")
    if not grown and not problems:
        problems["options"] = _("Take at least one wrong option from the candidates, or write it by hand.")
    return problems


def _adopt(actor: User, item: Item, content: ItemContent, candidates: dict[int, Candidate]) -> None:
    options = {option.position: option for option in Option.objects.filter(revision=item.current)}
    Adoption.objects.bulk_create(
        Adoption(
            option=options[position],
            candidate=candidates[wanted.candidate],
            original_text=candidates[wanted.candidate].text,
            edit_distance=edit_distance(candidates[wanted.candidate].text, options[position].text),
            adopted_by=actor,
        )
        for position, wanted in enumerate(tidy(content).options)
        if wanted.candidate is not None
    )
