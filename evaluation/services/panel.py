"""Panels: invited people solve a sample of a release by link, without seeing keys.

Their answers are the human row of the tables. People need no account: a link identifies one person's seat. No
service here reveals a key.
"""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from accounts.tokens import token_hash
from core.errors import Conflict, Hidden, Unusable, require
from evaluation.models import (
    Examinee,
    ExamineeKind,
    OptionOrder,
    PanelItem,
    PanelSeat,
    Portion,
    ReadingKind,
    Response,
    Run,
)
from evaluation.permissions import may_change_results
from evaluation.queries.panel import open_places
from evaluation.queries.response import answer_columns
from evaluation.queries.run import items_in, sampled_ids
from evaluation.services.run import LONGEST_SEED, free_name
from parable.formats.options import letter
from parable.kinds import kind_of
from parable.kinds.question import Answered, Given
from parable.llm import presentation
from release.models import Release, ReleaseItem, ReleaseState

LARGEST_SAMPLE: Final = 500
MOST_SEATS: Final = 200
LONGEST_DAYS: Final = 90
KEPT_SECONDS: Final = 3600
FORGOTTEN_AFTER: Final = timedelta(days=1)
"""An unanswered item displayed longer ago than this no longer counts as assigned."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A new seat and the token of its link.

    Only a hash of the token is stored, so it cannot be read later.
    """

    seat: PanelSeat
    token: str


@transaction.atomic
def open_panel(*, actor: User, release: Release, split: str, sample_size: int, seed: str = "0") -> Run:
    """Create a panel: an examinee and its run on a sample of a release.

    Raise `Unusable` with the invalid fields.
    """
    require(may_change_results(actor, release.project))
    problems = {}
    if release.state != ReleaseState.READY:
        problems["release"] = _("Only a finished release can be evaluated.")
    elif split not in Portion.values or not items_in(release, split).exists():
        problems["split"] = _("This release has no items in this split.")
    if not 1 <= sample_size <= LARGEST_SAMPLE:
        problems["sample_size"] = _("A panel answers 1 to %(most)d items.") % {"most": LARGEST_SAMPLE}
    if not seed or len(seed) > LONGEST_SEED:
        problems["seed"] = _("A seed has 1 to %(most)d characters.") % {"most": LONGEST_SEED}
    if problems:
        raise Unusable(problems)
    examinee = Examinee.objects.create(
        project=release.project,
        name=free_name(release.project, _("Panel")),
        kind=ExamineeKind.PANEL,
        created_by=actor,
    )
    run = Run.objects.create(
        release=release,
        examinee=examinee,
        split=split,
        repeats=0,
        order=OptionOrder.SHUFFLED,
        seed=seed,
        sample_size=sample_size,
        created_by=actor,
    )
    record_event(actor=actor, verb="open_panel", subject=run)
    return run


@transaction.atomic
def invite_to_panel(
    *, actor: User, run: Run, names: Sequence[str], items_each: int, days: int = 14
) -> list[Issued]:
    """Create a seat with a link for each name and return the seats with their tokens.

    A link is valid for `days` days and gives `items_each` items. Raise `Unusable` with the invalid fields,
    and `Conflict` if the run is not a panel.
    """
    require(may_change_results(actor, run.release.project))
    names = [name for name in (" ".join(line.split())[:150] for line in names) if name]
    problems = {}
    if not names or len(names) > MOST_SEATS:
        problems["names"] = _("Enter 1 to %(most)d names, one per line.") % {"most": MOST_SEATS}
    if not 1 <= items_each <= (run.sample_size or 0):
        most = {"most": run.sample_size or 0}
        problems["items_each"] = _("Each person can answer 1 to %(most)d items of this sample.") % most
    if not 1 <= days <= LONGEST_DAYS:
        problems["days"] = _("Links can be valid for 1 to %(most)d days.") % {"most": LONGEST_DAYS}
    if problems:
        raise Unusable(problems)
    run = Run.objects.select_for_update(of=("self",)).select_related("examinee").get(pk=run.pk)
    if run.examinee.kind != ExamineeKind.PANEL:
        raise Conflict(_("You can invite people to a panel only."))
    issued = []
    for place, name in enumerate(names, 1):
        token = secrets.token_urlsafe(24)
        seat = PanelSeat.objects.create(
            run=run,
            number=run.repeats + place,
            name=name,
            token_hash=token_hash(token),
            wanted=items_each,
            expires_at=timezone.now() + timedelta(days=days),
            created_by=actor,
        )
        issued.append(Issued(seat, token))
    run.repeats += len(issued)
    run.save(update_fields=["repeats"])
    record_event(actor=actor, verb="invite_to_panel", subject=run, detail={"people": len(issued)})
    return issued


def keep_panel_links(*, actor: User, run: Run, issued: Sequence[Issued]) -> None:
    """Cache the tokens of new links for an hour for the user who created them."""
    cached: dict[int, str] = cache.get(_kept_name(actor, run), {})
    cache.set(_kept_name(actor, run), cached | {one.seat.pk: one.token for one in issued}, KEPT_SECONDS)


def cached_panel_links(*, actor: User, run: Run) -> dict[int, str]:
    """Return the tokens that this user created within the last hour, by seat id."""
    found: dict[int, str] = cache.get(_kept_name(actor, run), {})
    return found


def _kept_name(actor: User, run: Run) -> str:
    return f"panel-links:{run.pk}:{actor.pk}"


@transaction.atomic
def withdraw_seat(*, actor: User, seat: PanelSeat) -> None:
    """Revoke a seat's link. Answers already given are not deleted."""
    require(may_change_results(actor, seat.run.release.project))
    PanelSeat.objects.filter(pk=seat.pk, revoked_at=None).update(revoked_at=timezone.now())
    record_event(actor=actor, verb="withdraw_seat", subject=seat)


@transaction.atomic
def next_place(*, seat: PanelSeat) -> PanelItem | None:
    """Return the person's unanswered item, or assign a new one.

    Return None if no items are left. A new item is one that was assigned to the fewest people.
    """
    Run.objects.select_for_update(of=("self",)).get(pk=seat.run_id)  # two people do not get the same item
    waiting = open_places(seat).first()
    if waiting is not None:
        return waiting
    had = set(PanelItem.objects.filter(seat=seat).values_list("item", flat=True))
    if len(had) >= seat.wanted:
        return None
    times = _times_out(seat.run)
    free = [(times[pk], presentation.draw(f"{seat.run.seed}|{seat.number}|{name}"), pk, name)
            for pk, name in sampled_ids(seat.run) if pk not in had]  # fmt: skip
    if not free:
        return None
    _times, _drawn, item_id, name = min(free)
    choices = ReleaseItem.objects.values_list("record__choices", flat=True).get(pk=item_id)
    return PanelItem.objects.create(
        seat=seat,
        item_id=item_id,
        position=len(had) + 1,
        order=presentation.shuffled(len(choices), f"{seat.run.seed}|{name}|{seat.number}"),
    )


def _times_out(run: Run) -> Counter[int]:
    """Return the number of people who have answered or are solving each item of a panel, by item id."""
    given = Response.objects.filter(run=run, item=OuterRef("item"), repeat=OuterRef("seat__number"))
    places = PanelItem.objects.filter(seat__run=run).filter(
        Exists(given) | Q(shown_at__gt=timezone.now() - FORGOTTEN_AFTER)
    )
    return Counter(places.values_list("item", flat=True))


def unanswered(record: Mapping[str, Any]) -> Unusable:
    """Return the error for a form that has no valid answer to a released item."""
    sentences = {
        "several": _("Select at least one option."),
        "order": _("Give each option its own place."),
        "own": _("Answer the item."),
    }
    sentence = sentences.get(kind_of(record["task"]).answer, _("Select one option."))
    return Unusable(sentence, "choice")


@transaction.atomic
def answer_place(*, seat: PanelSeat, position: int, shown: Given) -> None:
    """Save a person's answer as a response. `shown` is in displayed positions; None means "cannot decide".

    If the item is already answered, nothing is saved. Raise `Hidden` if this person has no item at this
    position, and `Unusable` if the answer is not valid for the item.
    """
    place = PanelItem.objects.select_for_update(of=("self",)).select_related("item")
    place_found = place.filter(seat=seat, position=position).first()
    if place_found is None:
        raise Hidden(_("Item not found."))
    order, record = place_found.order, place_found.item.record
    question = kind_of(record["task"]).question
    if shown is not None and not question.is_answer(shown, record):
        raise unanswered(record)
    given = None if shown is None else question.in_released_order(shown, order)
    read = Answered(ReadingKind.UNPARSED if given is None else ReadingKind.CHOSEN, given, given)
    Response.objects.get_or_create(
        run_id=seat.run_id,
        item=place_found.item,
        repeat=seat.number,
        rotation=0,
        defaults={
            "order": order,
            "text": _letters(shown),
            **answer_columns(record, read),
        },
    )


def _letters(shown: Given) -> str:
    """Return displayed positions as letters, or "" for answers in another form."""
    places = shown if isinstance(shown, list) else [] if shown is None else [shown]
    return "".join(letter(place) for place in places if type(place) is int)
