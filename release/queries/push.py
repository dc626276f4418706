"""Queries for pushes of releases to a hub of data sets."""

from collections.abc import Mapping
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from jobs.models import Job
from jobs.queries import job_of
from parable.commands.wording import sentence
from release.models import Push, PushState, Release

PUSH: Final = "push_release"
"""The kind of the jobs that send a release to a hub."""
UNREADABLE: Final = "unreadable"
WITHDRAWN: Final = "withdrawn"
REFUSALS: Final[Mapping[str, object]] = {
    UNREADABLE: _("The token can no longer be decrypted. Enter it again."),
    WITHDRAWN: _("The release was withdrawn before it was sent."),
}
"""The reasons why a push of this site can fail, in addition to those of the command `push`."""


def pushes(release: Release) -> QuerySet[Push]:
    """Return the pushes of a release, newest first."""
    return Push.objects.filter(release=release).select_related("created_by").order_by("-pk")


def waiting_push(release: Release) -> Push | None:
    """Return the unfinished push of a release, or None."""
    return pushes(release).filter(state=PushState.WAITING).first()


def why_not_sent(push: Push, version: str, job: Job | None = None) -> str:
    """Return why a push failed, in the current language, or "" if it did not fail.

    `job`: its job, if that was queried before.
    """
    if push.state != PushState.FAILED:
        return ""
    code = push.refusal.get("code")
    if code is None:
        job = job or job_of(PUSH, push.pk)
        return job.why if job else ""
    return refusal_sentence(code, {"folder": version, **push.refusal["named"]})


def refusal_sentence(code: str, named: Mapping[str, object]) -> str:
    """Return the sentence for a reason code, from `REFUSALS` or the command `push`."""
    if code in REFUSALS:
        return str(REFUSALS[code])
    return sentence(code, "zh" if (get_language() or "").startswith("zh") else "en") % named
