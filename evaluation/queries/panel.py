"""Queries for panels: their people, and the items given to each person."""

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.tokens import token_hash
from core.errors import Conflict, Hidden, require
from evaluation.models import PanelItem, PanelSeat, Response, Run
from evaluation.permissions import may_solve


def seats(run: Run) -> QuerySet[PanelSeat]:
    """Return the seats of a panel, annotated with `done`, the number of answered items."""
    mine = Response.objects.filter(run=OuterRef("run"), repeat=OuterRef("number")).order_by()
    done = Subquery(mine.values("repeat").annotate(n=Count("pk")).values("n"))
    return PanelSeat.objects.filter(run=run).annotate(done=Coalesce(done, 0)).order_by("number")


def get_seat(*, run: Run, pk: int) -> PanelSeat:
    """Return one seat of a panel. Raise `Hidden` if there is none."""
    seat = PanelSeat.objects.select_related("run__release__project").filter(run=run, pk=pk).first()
    if seat is None:
        raise Hidden(_("Panel member not found."))
    return seat


def find_seat(*, token: str, opened_by: User | None = None) -> PanelSeat:
    """Return the seat whose link has this token. `opened_by` is the signed-in user, if any.

    Raise `Hidden` for an unknown token, `Conflict` for a withdrawn or expired link, and `Forbidden` if the
    user belongs to the project.
    """
    found = PanelSeat.objects.select_related("run__release__project").filter(token_hash=token_hash(token))
    seat = found.first()
    if seat is None:
        raise Hidden(_("Unknown link. Ask for a new one."))
    if seat.revoked_at:
        raise Conflict(_("This link was withdrawn. Ask for a new one."))
    if seat.expires_at <= timezone.now():
        raise Conflict(_("This link has expired. Ask for a new one."))
    if opened_by is not None:
        require(may_solve(opened_by, seat.run.release.project))
    return seat


def answered_place(*, seat: PanelSeat, position: int) -> PanelItem | None:
    """Return the item that a person was given at this position, answered or not. Return None if none."""
    return PanelItem.objects.filter(seat=seat, position=position).select_related("item").first()


def open_places(seat: PanelSeat) -> QuerySet[PanelItem]:
    """Return the items that a person was given and has not answered yet."""
    given = Response.objects.filter(run=seat.run_id, item=OuterRef("item"), repeat=seat.number)
    return PanelItem.objects.filter(~Exists(given), seat=seat).order_by("position")
