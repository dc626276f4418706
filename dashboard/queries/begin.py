"""Queries of the first steps in a project for each role, until the member hides them."""

# Names roles: each role is shown where to begin.

from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.models import User
from evaluation.models import Calibration
from projects.models import Membership, Project, Role


@dataclass(frozen=True, slots=True)
class Step:
    """A first step: a route, the text of its link, and a description."""

    page: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Begin:
    """The first steps of a role."""

    role: str
    label: str
    steps: tuple[Step, ...]


def begin_cards(user: User, project: Project) -> list[Begin]:
    """Return the first steps of those of the user's roles for which they are not hidden."""
    shown = Membership.objects.filter(project=project, user=user, begun_at=None).order_by("role")
    return [
        Begin(role, str(Role(role).label), steps)
        for role in shown.values_list("role", flat=True)
        if (steps := _steps(role, project))
    ]


def _steps(role: str, project: Project) -> tuple[Step, ...]:
    if role == Role.WRITER:
        return (_guideline(), *_writer_steps())
    if role == Role.REVIEWER:
        return (_guideline(), *_reviewer_steps())
    if role == Role.VERIFIER:
        return _verifier_steps()
    if role == Role.OBSERVER:
        return _observer_steps()
    return _manager_steps(project)


def _guideline() -> Step:
    return Step("projects:guideline", _("Guideline"), _("Read what makes a good item in this project."))


def _writer_steps() -> tuple[Step, ...]:
    return (
        Step("annotation:desk", _("Desk"), _("Open a story and write an item about it. Drafts are saved.")),
        Step("generation:candidates", _("Candidates"), _("See the distractors that models proposed.")),
    )


def _reviewer_steps() -> tuple[Step, ...]:
    return (
        Step(
            "review:queue",
            _("Review"),
            _("Answer an item before you see its key, then rate it and decide what happens to it."),
        ),
        Step("review:practice_results", _("Practice"), _("See your practice results.")),
    )


def _verifier_steps() -> tuple[Step, ...]:
    return (
        Step("review:verify", _("Verify"), _("Check items that passed review, option by option.")),
        Step("review:adjudicate", _("Adjudicate"), _("Decide where reviewers disagree.")),
    )


def _observer_steps() -> tuple[Step, ...]:
    return (
        Step("dashboard:overview", _("Overview"), _("See the progress of items and what is overdue.")),
        Step("dashboard:items", _("Items"), _("Read every item with its key and its history.")),
        Step("review:statistics", _("Agreement"), _("See reviewer agreement.")),
        Step("release:list", _("Releases"), _("See what was released and what the gates found.")),
    )


def _manager_steps(project: Project) -> tuple[Step, ...]:
    first = Step("dashboard:overview", _("Overview"), _("See the progress of items and what is overdue."))
    if Calibration.objects.filter(release__project=project, log_likelihood__isnull=False).exists():
        return (first, *_after_an_analysis())
    return (
        first,
        Step("dashboard:members", _("Members"), _("Invite people and give them roles.")),
        Step("annotation:pilots", _("Pilots"), _("Let several people write about the same stories first.")),
        Step("release:list", _("Releases"), _("Check the gates and create a release.")),
    )


def _after_an_analysis() -> tuple[Step, ...]:
    return (
        Step("review:statistics", _("Agreement"), _("See reviewer agreement.")),
        Step("evaluation:results", _("Results"), _("Compare the examinees.")),
        Step(
            "evaluation:calibrations",
            _("Item analysis"),
            _("Open a suspect item. If its key is wrong, report it, and retire it when you reply."),
        ),
        Step("release:list", _("Releases"), _("Create the next patch version without it.")),
    )
