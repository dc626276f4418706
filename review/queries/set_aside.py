"""Queries of a reviewer's verdicts that may be set aside, of what that touches, and of what was set aside."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, F, Max, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, State, Transition
from core.errors import Hidden
from projects.models import Project
from review.models import Review, SetAside, Stage
from review.set_aside import Effect, Standing, effect_on_item

SET_ASIDE: Final = "set_verdicts_aside"
"""The kind of the jobs that set many verdicts aside, and undo it."""
UNDO_FOR: Final = timedelta(days=1)
MOST_VERDICTS: Final = 20_000
"""A page looks through at most this many verdicts; a longer span is refused."""


def verdicts_of(
    project: Project, reviewer: User, since: datetime | None, until: datetime
) -> QuerySet[Review]:
    """Return the reviewer's verdicts of a span that count; `until` is exclusive. Practice is left out."""
    found = Review.objects.filter(
        project=project, reviewer=reviewer, judged_at__lt=until, set_aside__isnull=True
    )
    return found.filter(judged_at__gte=since) if since else found


def standings_of(verdicts: QuerySet[Review]) -> dict[int, list[Standing]]:
    """Return how these verdicts relate to their items, by item id, with one statement."""
    reviewed = Transition.objects.filter(item=OuterRef("item"), to_state=State.IN_REVIEW).order_by()
    entered = reviewed.values("item").annotate(last=Max("pk")).values("last")
    rulings = Review.objects.filter(
        item=OuterRef("item"),
        stage=Stage.ADJUDICATION,
        judged_at__gt=OuterRef("judged_at"),
        set_aside__isnull=True,
    ).exclude(reviewer=OuterRef("reviewer"))
    rows = verdicts.annotate(
        entered=Subquery(entered),
        is_ruled=Exists(rulings),
        state=F("item__state"),
        current=F("item__current"),
        opened_by=F("request__opened_by"),
    ).order_by("pk")
    found: defaultdict[int, list[Standing]] = defaultdict(list)
    names = ("item", "state", "revision", "adopted_as", "current", "opened_by", "entered", "is_ruled")
    for item, state, revision, adopted, current, opened_by, entered_by, is_ruled in rows.values_list(*names):
        found[item].append(
            Standing(
                state=state,
                is_current=current in (revision, adopted),
                is_last_round=opened_by >= (entered_by or 0),
                is_ruled=is_ruled,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Touched:
    """What setting verdicts aside would touch: the verdicts, and the items by what becomes of them.

    `verified` has the verified items that go back to review. `is_too_long` is whether the span has more
    verdicts than `MOST_VERDICTS`; then nothing else is counted.
    """

    verdicts: int
    by_effect: Mapping[Effect, int]
    verified: tuple[int, ...] = ()
    is_too_long: bool = False

    @property
    def items(self) -> int:
        """The number of items with such verdicts."""
        return sum(self.by_effect.values())

    @property
    def reviewed_again(self) -> int:
        """The number of items that are reviewed again."""
        return self.by_effect.get(Effect.REPLACE, 0) + self.by_effect.get(Effect.REOPEN, 0)


def touched_by(project: Project, reviewer: User, since: datetime | None, until: datetime) -> Touched:
    """Return what setting aside the reviewer's verdicts of a span would touch."""
    verdicts = verdicts_of(project, reviewer, since, until)
    n = verdicts.order_by()[: MOST_VERDICTS + 1].count()
    if n > MOST_VERDICTS:
        return Touched(n, {}, is_too_long=True)
    effects: Counter[Effect] = Counter()
    verified = []
    for item, standings in standings_of(verdicts).items():
        effect = effect_on_item(standings)
        effects[effect] += 1
        if effect == Effect.REOPEN and standings[0].state == State.VERIFIED:
            verified.append(item)
    return Touched(n, dict(effects), tuple(verified))


def set_aside_of(project: Project, reviewer: User) -> QuerySet[SetAside]:
    """Return what managers have set aside of a reviewer, newest first."""
    found = SetAside.objects.filter(project=project, reviewer=reviewer)
    return found.select_related("actor", "undone_by").order_by("-pk")


def get_set_aside(*, project: Project, pk: int) -> SetAside:
    """Return an order of this project. Raise `Hidden` if there is none."""
    found = SetAside.objects.select_related("reviewer", "project").filter(project=project, pk=pk).first()
    if found is None:
        raise Hidden(_("These verdicts were not set aside."))
    return found


def may_be_undone(order: SetAside) -> bool:
    """Return whether the order is finished, has changed something, and can still be undone."""
    is_recent = timezone.now() - order.created_at < UNDO_FOR
    return bool(order.finished_at and not order.undone_at and order.changed and is_recent)


def latest_verdicts(project: Project, reviewer: User, *, hidden: QuerySet[Item], most: int) -> list[Review]:
    """Return the reviewer's latest verdicts, set aside or not, but not on the items `hidden`."""
    found = Review.objects.filter(project=project, reviewer=reviewer, judged_at__isnull=False)
    found = found.exclude(item__in=hidden.values("pk")).select_related(
        "item", "revision", "item__story__current"
    )
    return list(found.order_by("-judged_at")[:most])
