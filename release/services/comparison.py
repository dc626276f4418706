"""Services that compare two releases. A comparison is computed once, because releases are frozen."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.errors import require
from jobs.services import order_job
from release.models import Comparison, Release
from release.permissions import may_open_release
from release.queries.lineage import COMPARE, compared, require_comparable


@transaction.atomic
def order_comparison(*, actor: User, before: Release, after: Release) -> Comparison:
    """Return the comparison of two releases; the caller must dispatch the job of a new one.

    Raise `Conflict` if one of the releases is not frozen.
    """
    for one in (before, after):
        require(may_open_release(actor, one))
    require_comparable(before, after)
    found, _is_new = Comparison.objects.get_or_create(before=before, after=after)
    if found.made_at is None:
        about = {"before": before.version, "after": after.version}
        order_job(actor=actor, project=after.project, kind=COMPARE, subject=found.pk, about=about)
    return found


def make_comparison(*, comparison_id: int) -> None:
    """Compute and store a comparison of two releases. Safe to call twice."""
    row = Comparison.objects.select_related("before", "after").get(pk=comparison_id)
    found = compared(row.before, row.after)
    row.found, row.items, row.made_at = found.as_json(), found.handles(), timezone.now()
    row.save(update_fields=["found", "items", "made_at"])
