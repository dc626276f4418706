"""Queries of the sample projects, their people and their progress."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from jobs.models import Job
from jobs.queries import unfinished_jobs, unfinished_subjects
from projects.models import Project
from release.models import ReleaseState
from release.queries.release import live_release

FILL: Final = "fill_sample"
FIRST, MENDED = "1.0.0", "1.0.1"
"""The versions of the sample's releases: `FIRST` contains an item with a wrong key, `MENDED` does not."""

KINDS_SLUG: Final = "space-and-proverbs"
"""The slug of the third sample project, which has all kinds of item that the first two lack, and one release.
"""

SIGN_IN: Final = ("manager", "writer", "reviewer", "verifier")
"""The roles for which the sample has an account with a known password."""
COLLEAGUES: Final = ("second_writer", "second_reviewer", "third_reviewer", "second_verifier")
"""Further people of the sample, who did earlier work in it. No one is given their passwords."""


class SampleStep(models.IntegerChoices):
    """The steps in which a job fills a sample project; each is recorded when it begins."""

    WAITING = 0, _("waiting for a worker")
    PILOT = 1, _("a pilot is written")
    CANDIDATES = 2, _("candidates become items")
    REVIEWS = 3, _("items are reviewed")
    VERIFICATION = 4, _("items are verified")
    RELEASE = 5, _("a release is built")
    ANSWERS = 6, _("simulated answers come in")
    RESULTS = 7, _("results are counted")
    ANALYSIS = 8, _("items are analysed")
    ERRATUM = 9, _("an erratum and the next version")


def username_of(part: str, language: str) -> str:
    """Return the user name for a part in the sample, such as `second-writer-zh` for `second_writer`."""
    return f"{part.replace('_', '-')}-{language}"


def sample_people(project: Project) -> dict[str, User]:
    """Return the sample's people in this project by their part, such as `second_writer`.

    Return {} if it is not a sample project.
    """
    parts = {username_of(part, project.language): part for part in (*SIGN_IN, *COLLEAGUES)}
    members = User.objects.filter(username__in=parts, memberships__project=project).distinct()
    return {parts[user.username]: user for user in members}


def is_filled(project: Project) -> bool:
    """Return whether the sample project is complete: whether its last release is ready."""
    last = live_release(project, FIRST if project.slug == KINDS_SLUG else MENDED)
    return last is not None and last.state == ReleaseState.READY


def samples_to_fill() -> list[Project]:
    """Return the sample projects that are being filled, or wait to be filled, by a job."""
    return list(Project.objects.filter(pk__in=unfinished_subjects(FILL)).order_by("pk"))


def filling(project: Project) -> Job | None:
    """Return the running or waiting job that fills this project, or None."""
    return unfinished_jobs(FILL, project.pk).order_by("pk").first()
