"""Panels: their people, and which items are in whose hands. Reads only."""

from collections import Counter
from datetime import timedelta
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import Hidden
from evaluation.models import (
    PanelPlace,
    PanelSeat,
    Response,
    Run,
)

FORGOTTEN_AFTER: Final = timedelta(days=1)
"""An item that somebody has looked at for so long without an answer is given to others again."""


def seats(run: Run) -> QuerySet[PanelSeat]:
    """The people of a panel, with how many items each has answered."""
    mine = Response.objects.filter(run=OuterRef("run"), repeat=OuterRef("number")).order_by()
    done = Subquery(mine.values("repeat").annotate(n=Count("pk")).values("n"))
    return PanelSeat.objects.filter(run=run).annotate(done=Coalesce(done, 0)).order_by("number")


def get_seat(*, run: Run, pk: int) -> PanelSeat:
    """One person of a panel; else `Hidden`."""
    seat = PanelSeat.objects.select_related("run__release__project").filter(run=run, pk=pk).first()
    if seat is None:
        raise Hidden(_("Panel member not found."))
    return seat


def open_places(seat: PanelSeat) -> QuerySet[PanelPlace]:
    """The items that a person has in hand and has not answered."""
    given = Response.objects.filter(run=seat.run_id, item=OuterRef("item"), repeat=seat.number)
    return PanelPlace.objects.filter(~Exists(given), seat=seat).order_by("position")


def times_out(run: Run) -> Counter[int]:
    """How often each item of a panel is answered, or in somebody's hands."""
    given = Response.objects.filter(run=run, item=OuterRef("item"), repeat=OuterRef("seat__number"))
    places = PanelPlace.objects.filter(seat__run=run).filter(
        Exists(given) | Q(shown_at__gt=timezone.now() - FORGOTTEN_AFTER)
    )
    return Counter(places.values_list("item", flat=True))
