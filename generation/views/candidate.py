"""View models of candidates and slots: hints, lengths and changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.content import ItemContent, OptionContent
from corpus.models import Story
from generation.forms import KEY_SLOT
from generation.models import Candidate, Purpose
from generation.queries.batch import CandidateTable, Cell, Proposal, TakenKey
from generation.queries.stem import Offered
from generation.similarity import Finding
from jobs.errors import sentence
from jobs.models import CallState
from parable.formats.options import normalise_option
from parable.reading.differences import Part, word_diff

CAREFUL, WRONG, GOOD = "careful", "wrong", "good"
LENGTHS = frozenset({"longer", "shorter"})


@dataclass(frozen=True, slots=True)
class Chip:
    """A label about a candidate."""

    label: str
    tone: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ProposalView:
    """One candidate on the page.

    `slot` names the slots into which it can be put, `used_in` the slot that has it. `alike` are the
    candidates folded under it, `more` the text of the line that opens these. `likeness` and `fold` are
    similarities in percent.
    """

    candidate: Candidate
    chips: tuple[Chip, ...]
    slot: str
    used_in: str
    likeness: int
    fold: int
    alike: tuple["ProposalView", ...]
    more: str
    length: Chip | None = None

    @property
    def characters(self) -> int:
        """The length of the text in characters."""
        return len(self.candidate.text.strip())

    @property
    def shows_alike(self) -> bool:
        """Return whether one of the candidates folded under it is used in a slot."""
        return any(one.used_in for one in self.alike)


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of the item that is being composed, for the key or a distractor."""

    place: int
    label: str
    text: str
    candidate: Candidate | None
    parts: tuple[Part, ...]
    error: str
    source: str = ""

    @property
    def characters(self) -> int:
        """The length of the text in characters."""
        return len(self.text.strip())


def slot_label(place: int) -> str:
    """Return the name of a slot: its number, as in the checks' messages, and its role."""
    words = _("Option %(n)d · key") if place == KEY_SLOT else _("Option %(n)d · distractor")
    return words % {"n": place + 1}


def chip(flag: Finding) -> Chip:
    """Return a hint as a label in the reader's language."""
    number = flag.number
    longer = ngettext("%(n)d character longer", "%(n)d characters longer", number) % {"n": number}
    shorter = ngettext("%(n)d character shorter", "%(n)d characters shorter", number) % {"n": number}
    than = _("compared with the key, or the moral while there is no key")
    known = {
        "close_to_moral": Chip(_("close to the moral"), WRONG, _("It may be another correct answer.")),
        "close_to_key": Chip(_("close to the key"), WRONG, _("It may be another correct answer.")),
        "like_another": Chip(_("similar to one above")),
        "longer": Chip(longer, CAREFUL, than),
        "shorter": Chip(shorter, CAREFUL, than),
        "copied": Chip(_("copied from the story"), CAREFUL),
        "foreign": Chip(_("in another language"), WRONG),
    }
    return known.get(flag.code, Chip(flag.code))


def moral_taken_by(story: Story, taken: Sequence[TakenKey]) -> int | None:
    """Return the id of the item whose key is the story's moral, or None."""
    moral = normalise_option(story.current.moral) if story.current else ""
    return next((one.item for one in taken if one.normalised == moral), None)


def candidate_rows(
    sheet: CandidateTable, content: ItemContent, taken: Sequence[TakenKey]
) -> list[dict[str, object]]:
    """Return the rows of the table of candidates. A call without candidates has the reason."""
    places = {option.candidate or 0: index for index, option in enumerate(content.options)}
    items = {one.normalised: one.item for one in reversed(taken)}
    return [
        {
            "template": template,
            "cells": [
                {"endpoint": endpoint, **_cell(cell, places, items)}
                for endpoint, cell in zip(sheet.endpoints, cells, strict=True)
            ],
        }
        for template, cells in sheet.rows
    ]


def _cell(cell: Cell, places: Mapping[int, int], items: Mapping[str, int]) -> dict[str, object]:
    return {
        "candidates": [_shown(proposal, places, items) for proposal in cell.proposals],
        "silent": [
            _("Sent; waiting for the answer.")
            if call.state in {CallState.PENDING, CallState.RUNNING}
            else sentence(call.reason_code)
            for call in cell.calls
        ],
        "elsewhere": cell.elsewhere,
    }


def _shown(proposal: Proposal, places: Mapping[int, int], items: Mapping[str, int]) -> ProposalView:
    """Return the view model of a candidate.

    `places` has the slots by candidate id, `items` the items whose key is a text, by the normalised text.
    """
    candidate = proposal.candidate
    chips = [chip(flag) for flag in proposal.flags if flag.code not in LENGTHS]
    if item := items.get(candidate.normalised):
        chips.append(Chip(_("key of item %(n)d") % {"n": item}, CAREFUL))
    elif proposal.is_adopted:
        chips.append(Chip(_("used in an item"), GOOD))
    more = ""
    if proposal.alike:
        names = _(", ").join(dict.fromkeys(one.candidate.generator for one in proposal.alike))
        words = ngettext(
            "and %(n)d more like it from %(names)s",
            "and %(n)d more like it from %(names)s",
            len(proposal.alike),
        )
        more = words % {"n": len(proposal.alike), "names": names}
    place = places.get(candidate.pk)
    return ProposalView(
        candidate,
        tuple(chips),
        "key" if candidate.template.purpose == Purpose.MORAL_WORDINGS else "wrong",
        slot_label(place) if place is not None else "",
        round(proposal.likeness * 100),
        round(proposal.fold.share * 100) if proposal.fold else 0,
        tuple(_shown(one, places, items) for one in proposal.alike),
        more,
        length_chip(proposal.flags),
    )


@dataclass(frozen=True, slots=True)
class OfferView:
    """A distractor proposed for the stem; `used_in` is the name of the option that uses it."""

    candidate: Candidate
    chips: tuple[Chip, ...]
    length: Chip | None
    used_in: str
    likeness: int

    @property
    def characters(self) -> int:
        """The length of the text in characters."""
        return len(self.candidate.text.strip())


def offer_lists(found: Sequence[Offered], content: ItemContent) -> list[tuple[Offered, list[OfferView]]]:
    """Return each request for a stem with its candidates, their hints and the options that use them."""
    places = {option.candidate or 0: index for index, option in enumerate(content.options)}
    lists = []
    for one in found:
        offers = []
        for offer in one.offers:
            place = places.get(offer.candidate.pk)
            view = OfferView(
                offer.candidate,
                tuple(chip(flag) for flag in offer.flags if flag.code not in LENGTHS),
                length_chip(offer.flags),
                _("Option %(number)s") % {"number": place + 1} if place is not None else "",
                round(offer.likeness * 100),
            )
            offers.append(view)
        lists.append((one, offers))
    return lists


def length_chip(found: Sequence[Finding]) -> Chip | None:
    """Return the label about a candidate's length.

    It is separate because it changes with the key.
    """
    return next((chip(flag) for flag in found if flag.code in LENGTHS), None)


def slots(
    content: ItemContent, candidates: dict[int, Candidate], story: Story, errors: dict[str, str]
) -> list[Slot]:
    """Return the slots, each with its error.

    `errors` has the messages by `option-N`, where N counts from 1.
    """
    found = []
    for index, option in enumerate(content.options):
        candidate = candidates.get(option.candidate) if option.candidate else None
        changed = candidate is not None and option.text and option.text != candidate.text
        parts = tuple(word_diff(candidate.text, option.text)) if candidate and changed else ()
        error, source = errors.get(f"option-{index + 1}", ""), _source(option, candidate, story)
        found.append(Slot(index, slot_label(index), option.text, candidate, parts, error, source))
    return found


def _source(option: OptionContent, candidate: Candidate | None, story: Story) -> str:
    if candidate is not None:
        return f"{candidate.generator} · {candidate.template}"
    if not option.text.strip():
        return ""
    moral = story.current.moral if story.current else ""
    is_moral = normalise_option(option.text) == normalise_option(moral)
    return _("the story's moral") if is_moral else _("written by hand")
