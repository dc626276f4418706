"""The background jobs of this app."""

from __future__ import annotations

from celery import shared_task
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from jobs.errors import NOT_BUILT, NOT_SENT
from jobs.hooks import dispatch
from jobs.job_types import Report, Stopped, job_type
from release import services
from release.models import Failure, PushState, PushStep, ReleaseState, Step, UploadState
from release.queries.draft import DRAFT_CHECK
from release.queries.gate import GATE_CHECK, GATE_SLICE
from release.queries.lineage import COMPARE
from release.queries.push import PUSH
from release.queries.release import BUILD, REBUILD
from release.queries.team import SCORE


@job_type(
    BUILD,
    title=_("Building %(version)s"),
    steps=Step,
    on_fault=lambda release_id: services.fail_release(
        release_id=release_id, failure=Failure.FAULT, details={"number": release_id}
    ),
    page=lambda slug, _release_id, about: reverse("release:detail", args=[slug, about["version"]]),
)
def finish_release(release_id: int, report: Report) -> None:
    """Build a release that has been ordered."""
    release = services.finish_release(release_id=release_id, report=report)
    if release.state == ReleaseState.FAILED:
        raise Stopped(NOT_BUILT)


@job_type(
    REBUILD,
    title=_("Rebuild check of %(version)s"),
    page=lambda slug, _release_id, about: reverse("release:detail", args=[slug, about["version"]]),
)
def check_rebuild(release_id: int, _report: Report) -> dict[str, list[str]]:
    """Render a release again and compare its files with those that were stored."""
    return {"differing": list(services.check_rebuild(release_id=release_id))}


@job_type(
    GATE_CHECK,
    title=_("Gate check"),
    page=lambda slug, _project_id, _about: reverse("release:gates", args=[slug]),
)
def check_gates(project_id: int, report: Report) -> None:
    """Run the gates on a project's unreleased items."""
    for slice_id in services.run_gate_check(project_id=project_id, report=report):
        dispatch(GATE_SLICE, slice_id)


@job_type(GATE_SLICE, title=_("Gate check, slice %(number)s of %(of)s"))
def check_gate_slice(slice_id: int, report: Report) -> None:
    """Read a slice of a project's unreleased items for the gates."""
    project_id = services.check_gate_slice(slice_id=slice_id, report=report)
    if project_id is not None:
        dispatch(GATE_CHECK, project_id)


@job_type(
    COMPARE,
    title=_("From %(before)s to %(after)s"),
    page=lambda slug, _row_id, about: reverse(
        "release:compare", args=[slug, about["before"], about["after"]]
    ),
)
def make_comparison(comparison_id: int, _report: Report) -> None:
    """Compare two releases."""
    services.make_comparison(comparison_id=comparison_id)


@job_type(
    DRAFT_CHECK,
    title=_("Gates of release %(version)s"),
    page=lambda slug, draft_id, _about: reverse("release:draft_gates", args=[slug, draft_id]),
)
def check_draft(draft_id: int, report: Report) -> None:
    """Run the gates on a draft of a release."""
    services.check_draft(draft_id=draft_id, report=report)


@shared_task
def check_gates_nightly() -> None:
    """Order a check by the gates for every project that has changed since its last check."""
    for project_id in services.order_nightly_checks():
        dispatch(GATE_CHECK, project_id)


@job_type(
    SCORE,
    title=_("Scoring for team %(team)s"),
    on_fault=lambda upload_id: services.close_upload(upload_id=upload_id, state=UploadState.FAILED),
)
def score_upload(upload_id: int, _report: Report) -> None:
    """Score a team's upload. If this fails, the upload does not count against the team's limit."""
    services.score_upload(upload_id=upload_id)


@job_type(
    PUSH,
    title=_("Push of %(version)s to %(repo)s"),
    steps=PushStep,
    on_fault=lambda push_id: services.close_push(push_id=push_id, state=PushState.FAILED),
    page=lambda slug, _push_id, about: reverse("release:push", args=[slug, about["version"]]),
)
def send_push(push_id: int, report: Report) -> None:
    """Send a release to a hub."""
    push = services.send_push(push_id=push_id, report=report)
    if push.state == PushState.FAILED:
        raise Stopped(NOT_SENT)
