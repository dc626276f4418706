"""Services that make candidates into options of a machine-style item, and record where options come from."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from annotation import services as annotation
from annotation.content import ItemContent, from_json, to_json, trim
from annotation.models import Item, ItemDraft, Option, Revision, Style
from annotation.permissions import may_write
from annotation.places import place_name
from annotation.services.check import CheckMessage
from core.errors import Unusable, require
from corpus.models import Story
from generation.models import Adoption, Candidate, Purpose
from generation.similarity import STILL_THE_SAME, edit_distance, overlap
from parable.kinds import first_code
from parable.quality.item import ERROR

# A wrong moral cannot be the key, and another wording of the moral cannot be wrong.
MAY_BE_KEY = frozenset({Purpose.MORAL_WORDINGS, Purpose.FREE})
MAY_BE_WRONG = frozenset({Purpose.WRONG_MORALS, Purpose.FREE})


def save_machine_draft(
    *, actor: User, story: Story, client_id: UUID, sequence: int, content: ItemContent
) -> ItemDraft:
    """Save a draft of a machine-style item without checks. Raise the errors of `annotation.save_draft`."""
    require(may_write(actor, story.project))
    return annotation.save_draft(
        actor=actor,
        project=story.project,
        story=story,
        task=first_code("has_machine_style"),
        style=Style.MACHINE,
        client_id=client_id,
        sequence=sequence,
        content=to_json(_with_stem(story, content)),
    )


@transaction.atomic
def submit_machine_item(*, actor: User, story: Story, content: ItemContent) -> Item:
    """Submit a machine-style moral item, with the candidates from which its options came.

    The stem is the project's own. The key is the moral, a rewording by hand, or a candidate for wordings of
    the moral. At least one distractor must come from a candidate. Raise `Unusable` naming invalid options.
    """
    content = _with_stem(story, content)
    _check_sources(actor, story, content)
    return annotation.create_item(
        actor=actor,
        project=story.project,
        story=story,
        task=first_code("has_machine_style"),
        style=Style.MACHINE,
        content=content,
    )


@transaction.atomic
def submit_machine_draft(*, actor: User, draft: ItemDraft) -> Item:
    """Submit a saved draft of a machine-style item, by the rules of `submit_machine_item`.

    Submitting it twice has no further effect.
    """
    locked = ItemDraft.objects.select_for_update(of=("self",)).select_related("story__project")
    draft = locked.get(pk=draft.pk)
    if draft.submitted_as_id is not None:
        return annotation.submit_draft(actor=actor, draft=draft)
    _check_sources(actor, draft.story, from_json(draft.content))
    return annotation.submit_draft(actor=actor, draft=draft)


def check_slots(story: Story, content: ItemContent) -> list[CheckMessage]:
    """Return the errors and warnings about the slots, errors first, in the reader's language.

    Errors about candidates are those of `submit_machine_draft`; other findings come from the checks of the
    writing form.
    """
    candidates = _named_candidates(story, content)
    found = annotation.judge_content(
        _with_stem(story, content),
        project=story.project,
        story=story,
        task=first_code("has_machine_style"),
        style=Style.MACHINE,
    )
    messages = [
        CheckMessage("source", ERROR, place, place_name(place), message, "", "", "", "")
        for place, message in _source_problems(content, candidates).items()
    ]
    return [*messages, *(annotation.message_of(remark) for remark in found)]


def _named_candidates(story: Story, content: ItemContent) -> dict[int, Candidate]:
    named = {option.candidate for option in content.options if option.candidate is not None}
    found = Candidate.objects.filter(story=story, pk__in=named).select_related("template")
    return {candidate.pk: candidate for candidate in found}


def _with_stem(story: Story, content: ItemContent) -> ItemContent:
    return replace(content, stem=story.project.moral_stem)


def _check_sources(actor: User, story: Story, content: ItemContent) -> None:
    """Raise `Unusable` if an option has an unsuitable candidate, or no distractor comes from a candidate."""
    require(may_write(actor, story.project))
    candidates = _named_candidates(story, content)
    problems = _source_problems(content, candidates)
    if problems:
        raise Unusable(problems)


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
            problems[f"option-{number}"] = _("This proposal belongs to another story.")
        elif purpose == Purpose.WRONG_OPTIONS:
            problems[f"option-{number}"] = _("This proposal is for a stem, not for the moral.")
        elif option.is_key and purpose not in MAY_BE_KEY:
            problems[f"option-{number}"] = _("A wrong moral cannot be the key.")
        elif not option.is_key and purpose not in MAY_BE_WRONG:
            problems[f"option-{number}"] = _("A rewording of the moral cannot be a distractor.")
    if not grown and not problems:
        problems["options"] = _("Use at least one distractor from the candidates, or write the item by hand.")
    return problems


def keep_provenance(revision: Revision, content: ItemContent) -> None:
    """Record the candidate from which each option of a new revision came, if any.

    It is the candidate that the option names, or else the candidate of the most similar option in the
    previous revision, so that an edit does not lose the generators of an item.
    """
    named = _named_candidates(revision.item.story, content)
    found = Adoption.objects.filter(option__revision=revision.based_on_id)
    before = list(found.select_related("option", "candidate", "adopted_by")) if revision.based_on_id else []
    options = list(revision.options.order_by("position"))
    rows = []
    for option, wanted in zip(options, content.options, strict=False):
        if candidate := named.get(wanted.candidate or 0):
            rows.append(_adoption(option, candidate, revision.author))
    for option, old in _grown_from(options, before, {row.option_id for row in rows}):
        rows.append(_adoption(option, old.candidate, old.adopted_by))
    Adoption.objects.bulk_create(rows)


def _grown_from(
    options: list[Option], before: list[Adoption], known: set[int]
) -> Iterator[tuple[Option, Adoption]]:
    """Yield each option that was edited from an earlier one, with its adoption. No adoption is used twice."""
    pairs = [
        (overlap(option.text, old.option.text), option, old)
        for option in options
        for old in before
        if option.pk not in known
    ]
    taken: set[int] = set()
    for share, option, old in sorted(pairs, key=lambda pair: -pair[0]):
        if share < STILL_THE_SAME or option.pk in known or old.pk in taken:
            continue
        known.add(option.pk)
        taken.add(old.pk)
        yield option, old


def _adoption(option: Option, candidate: Candidate, adopter: User) -> Adoption:
    return Adoption(
        option=option,
        candidate=candidate,
        original_text=candidate.text,
        edit_distance=edit_distance(candidate.text, option.text),
        adopted_by=adopter,
    )
