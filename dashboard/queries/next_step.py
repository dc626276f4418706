"""Query of the action that an item's page proposes, by the item's state and the reader's permissions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.models import Item, State
from annotation.permissions import may_revise
from annotation.queries.assignment import WITH_WRITER
from projects.permissions import Permission
from release.models import ErrorReport
from review.models import RequestState, Stage
from review.permissions import may_claim
from review.queries.request import request_for

QUEUES: Final = {
    Stage.CROSS_CHECK: ("review:queue", gettext_lazy("Go to review")),
    Stage.VERIFICATION: ("review:verify", gettext_lazy("Go to verification")),
    Stage.ADJUDICATION: ("review:adjudicate", gettext_lazy("Go to adjudication")),
}


@dataclass(frozen=True, slots=True)
class NextStep:
    """A link to the proposed action. Without a link, the page displays a form that retires the item."""

    label: str = ""
    url: str = ""


def next_step_for(
    reader: User, item: Item, held: Permission, *, is_suspect: bool, reports: Iterable[ErrorReport]
) -> NextStep:
    """Return the action proposed to this reader. If there is none, return a link to the list of items."""
    slug = item.project.slug
    answers = Permission.CHANGE_RELEASES in held
    unanswered = next((one for one in reports if answers and one.answered_at is None), None)
    if item.state in WITH_WRITER and may_revise(reader, item):
        return NextStep(_("Revise"), reverse("annotation:revise", args=[slug, item.pk]))
    if unanswered is not None:
        return NextStep(
            _("Reply to error report"), reverse("release:answer_report", args=[slug, unanswered.pk])
        )
    if item.state == State.VERIFIED and Permission.CHANGE_ITEMS in held and is_suspect:
        return NextStep()
    return _queue(reader, item) or NextStep(_("All items"), reverse("dashboard:items", args=[slug]))


def _queue(reader: User, item: Item) -> NextStep | None:
    """Return a link to the item's claimed request or, if it is not claimed, to the queue.

    Return None if the user may not review it.
    """
    request, slug = request_for(reader, item), item.project.slug
    if request is None:
        return None
    if request.state == RequestState.CLAIMED:
        return NextStep(_("Continue"), reverse("review:request", args=[slug, request.public_id]))
    if not may_claim(reader, item.project, request.stage):
        return None
    name, label = QUEUES[Stage(request.stage)]
    return NextStep(str(label), reverse(name, args=[slug]))
