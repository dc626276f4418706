"""Queries for the prompts and models that teams submit, and the rule for prompts in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core.errors import Hidden
from parable.kinds import KINDS, kind_of
from projects.models import Project
from release.models import Release, ReleaseItem, Split, Submission, Team
from release.prompt import PROMPT, faulty_prompts, field_of, variables_of


def submissions(team: Team) -> QuerySet[Submission]:
    """Return what a team has submitted, newest first."""
    return Submission.objects.filter(team=team).select_related("endpoint").order_by("-pk")


def all_submissions(release: Release) -> QuerySet[Submission]:
    """Return what all teams of a release have submitted and not withdrawn, newest first."""
    found = Submission.objects.filter(team__release=release, withdrawn_at=None)
    return found.select_related("team", "endpoint").order_by("-pk")


def get_submission(project: Project, pk: int) -> Submission:
    """Return what a team of this project has submitted. Raise `Hidden` if there is no such submission."""
    found = Submission.objects.select_related("team__release__project", "endpoint")
    submission = found.filter(team__release__project=project, pk=pk).first()
    if submission is None:
        raise Hidden(_("Submission not found."))
    return submission


def counted_submissions(found: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return the submissions that use up an upload: all but those withdrawn before they were run."""
    return found.exclude(Q(withdrawn_at__isnull=False) & Q(started_at=None))


@dataclass(frozen=True, slots=True)
class PromptField:
    """A prompt that a team may submit, with the variables that it must and may have."""

    field: str
    task: str
    usual: str
    wanted: tuple[str, ...]
    variables: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of the items that are asked with it, in the current language."""
        if self.field == PROMPT:
            return _("Questions with one correct option")
        return _(kind_of(self.task).items_name)


def prompt_fields(release: Release) -> list[PromptField]:
    """Return the prompts of the test: one for all tasks with one right option, one for each other task."""
    test = ReleaseItem.objects.filter(release=release, split=Split.TEST)
    tasks = set(test.order_by().values_list("record__task", flat=True).distinct())
    found: dict[str, PromptField] = {}
    for task in KINDS:
        if task in tasks:
            question = kind_of(task).question
            usual = question.template(release.project.language)
            each = PromptField(field_of(task), task, usual, question.wanted, variables_of(task))
            found.setdefault(each.field, each)
    return list(found.values())


def prompt_problems(prompt: str | None, prompts: Mapping[str, str]) -> dict[str, str]:
    """Return the error messages for the prompts of a run, by field."""
    return {
        name: _("A prompt must contain %(names)s.") % {"names": ", ".join(wanted)}
        for name, wanted in faulty_prompts(prompt, prompts).items()
    }
