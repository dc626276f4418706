"""Services by which people judge answers that give reasons."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Unusable, require
from evaluation.models import Failing, Judgement, Response
from evaluation.permissions import may_change_results
from evaluation.queries.judgement import is_graded
from parable.kinds import kind_of


@transaction.atomic
def judge_answer(
    *, actor: User, response: Response, grade: int | None, failings: Sequence[str] = ()
) -> Judgement:
    """Store what a person says of an answer, replacing what they said before. Managers only.

    Raise `Unusable` with the invalid field: a right answer of a task with graded reasons needs a grade on the
    scale of the task, other answers have none.
    """
    require(may_change_results(actor, response.run.release.project))
    scale = kind_of(response.item.record["task"]).scale
    if is_graded(response):
        if scale is None or not scale.has(grade):
            raise Unusable(_("Select a grade."), "grade")
    elif grade is not None:
        raise Unusable(_("This answer has no grade."), "grade")
    if not set(failings) <= set(Failing.values):
        raise Unusable(_("Unknown failing."), "failings")
    chosen = [one for one in Failing.values if one in failings]
    judgement, _made = Judgement.objects.update_or_create(
        response=response, rater=actor, defaults={"grade": grade, "failings": chosen}
    )
    return judgement
