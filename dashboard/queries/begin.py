"""Queries of the first steps that a project's page explains to each role, until the member hides them."""

# Names roles: each role has its own first steps.

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.models import User
from evaluation.models import Calibration
from projects.models import Membership, Project, Role


@dataclass(frozen=True, slots=True)
class Step:
    """A first step: a route, the text of its link, and a description."""

    page: str
    label: str
    text: str


def begin_cards(user: User, project: Project) -> list[dict[str, object]]:
    """Return the first steps for each of the user's roles, except where the user has hidden them."""
    shown = Membership.objects.filter(project=project, user=user, begun_at=None).order_by("role")
    return [
        {"role": role, "label": str(Role(role).label), "steps": _steps(role, project)}
        for role in shown.values_list("role", flat=True)
    ]


def _steps(role: str, project: Project) -> tuple[Step, ...]:
    if role == Role.WRITER:
        return (
            _guideline(),
            Step(
                "annotation:desk", _("Desk"), _("Open a story and write an item about it. Drafts are saved.")
            ),
            Step("generation:candidates", _("Candidates"), _("See the distractors that models proposed.")),
        )
    if role == Role.REVIEWER:
        return (
            _guideline(),
            Step(
                "review:queue",
                _("Review"),
                _("Answer an item before you see its key, then rate it and decide what happens to it."),
            ),
            Step("review:practice_results", _("Practice"), _("See your practice results.")),
        )
    if role == Role.VERIFIER:
        return (
            Step("review:verify", _("Verify"), _("Check items that passed review, option by option.")),
            Step("review:adjudicate", _("Adjudicate"), _("Decide where reviewers disagree.")),
        )
    if role == Role.OBSERVER:
        return (
            Step("dashboard:today", pgettext("navigation", "Today"), _("See what needs you.")),
            Step("dashboard:items", _("Items"), _("Read every item with its key and its history.")),
            Step("review:statistics", _("Agreement"), _("See reviewer agreement.")),
            Step("release:list", _("Releases"), _("See what was released and what the gates found.")),
        )
    first = Step("dashboard:today", pgettext("navigation", "Today"), _("See what needs you."))
    if Calibration.objects.filter(release__project=project, log_likelihood__isnull=False).exists():
        return (
            first,
            Step("review:statistics", _("Agreement"), _("See reviewer agreement.")),
            Step("evaluation:results", _("Results"), _("Compare the examinees.")),
            Step(
                "evaluation:calibrations",
                _("Item analysis"),
                _("Open a suspect item. If its key is wrong, report it, and retire it when you reply."),
            ),
            Step("release:list", _("Releases"), _("Create the next patch version without it.")),
        )
    return (
        first,
        Step("dashboard:members", _("Members"), _("Invite people and give them roles.")),
        Step("annotation:pilots", _("Pilots"), _("Let several people write about the same stories first.")),
        Step("release:list", _("Releases"), _("Check the gates and create a release.")),
    )


def _guideline() -> Step:
    return Step("projects:guideline", _("Guideline"), _("Read what makes a good item in this project."))
