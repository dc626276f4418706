"""Who has been shown a story's moral, or a moral key."""

from collections.abc import Iterable

from django.db import transaction

from accounts.models import User
from accounts.services import record_event
from annotation.models import KeyExposure, Task
from corpus.models import Story
from projects.models import Project

_ROWS_AT_ONCE = 2000


def record_exposure(*, actor: User, story: Story, task: str = Task.MORAL) -> None:
    """Remember that the actor no longer solves this story's items of the task blindly; twice is once."""
    KeyExposure.objects.bulk_create(
        [KeyExposure(user=actor, story=story, task=task)],
        ignore_conflicts=True,
    )


@transaction.atomic
def record_table_taken_out(*, actor: User, project: Project, table: str, kind: str, tells: bool) -> None:
    """Write into the audit trail who took a project's table out; one that `tells` morals exposes to them all.

    The rows written grow with the stories, as the table itself does that is asked for.
    """
    record_event(actor=actor, verb="table_taken_out", subject=project, detail={"table": table, "kind": kind})
    if not tells:
        return
    stories = Story.objects.filter(project=project).exclude(current__moral="").exclude(current=None)
    record_exposures(actor=actor, stories=stories.values_list("pk", flat=True))


def record_exposures(*, actor: User, stories: Iterable[int]) -> None:
    """Remember that the actor has seen the morals, or moral keys, of many stories; twice is once."""
    KeyExposure.objects.bulk_create(
        (KeyExposure(user=actor, story_id=story, task=Task.MORAL) for story in stories),
        batch_size=_ROWS_AT_ONCE,
        ignore_conflicts=True,
    )
