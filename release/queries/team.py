"""Queries for teams outside the project and their uploads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.tokens import token_hash
from core.errors import Conflict, Hidden
from jobs.errors import sentence
from jobs.models import Job, JobState
from jobs.queries import jobs_of
from parable.formats.asked_items import Words
from parable.formats.errors import SENTENCES, ErrorCode
from parable.kinds import kind_of
from projects.models import Project
from release.models import TEAM_UPLOADS, Release, ReleaseItem, ReleaseState, Split, Team, Upload, UploadState
from release.score import INCOMPLETE, OTHER_ORDER, SEVERAL_MODELS, TOO_MANY_REPEATS, Keyed, provable_keys

SCORE: Final = "score_upload"
"""The kind of the jobs that score an upload."""
WEEK: Final = timedelta(days=7)


def teams(release: Release) -> QuerySet[Team]:
    """Return the teams of a release, annotated with `scored` (the number of scored uploads) and `last`.

    `last` is the time of the last upload.
    """
    counted = Count("uploads", filter=Q(uploads__state=UploadState.DONE))
    found = Team.objects.filter(release=release).select_related("created_by")
    return found.annotate(scored=counted, last=Max("uploads__created_at")).order_by("pk")


def get_team(release: Release, pk: int) -> Team:
    """Return a team of this release. Raise `Hidden` if there is no such team."""
    found = Team.objects.filter(release=release, pk=pk).first()
    if found is None:
        raise Hidden(_("Team not found."))
    return found


def team_of(token: str) -> Team:
    """Return the team whose link has this token.

    Raise `Hidden` for an unknown token, and `Conflict` if the link or the release was withdrawn.
    """
    found = Team.objects.select_related("release__project").filter(token_hash=token_hash(token)).first()
    if found is None:
        raise Hidden(_("Unknown link."))
    if found.revoked_at is not None:
        raise Conflict(_("This link was withdrawn. Ask for a new one."))
    if found.release.state != ReleaseState.READY:
        raise Conflict(_("This release was withdrawn; responses are no longer scored."))
    return found


def is_team(request: object, *, token: str) -> bool:
    """Return whether the token is that of a team whose link is still valid."""
    try:
        team_of(token)
    except (Hidden, Conflict):
        return False
    return True


def uploads(team: Team) -> QuerySet[Upload]:
    """Return a team's uploads, newest first."""
    return Upload.objects.filter(team=team).order_by("-pk")


def all_uploads(release: Release) -> QuerySet[Upload]:
    """Return the uploads of all teams of a release, newest first."""
    return Upload.objects.filter(team__release=release).select_related("team").order_by("-pk")


def get_upload(project: Project, pk: int) -> Upload:
    """Return an upload of a team of this project. Raise `Hidden` if there is no such upload."""
    found = Upload.objects.select_related("team__release__project")
    upload = found.filter(team__release__project=project, pk=pk).first()
    if upload is None:
        raise Hidden(_("Upload not found."))
    return upload


REFUSALS: Final[Mapping[str, object]] = {
    SEVERAL_MODELS: gettext_lazy("One file must have the responses of one model; this one has %(models)s."),
    OTHER_ORDER: gettext_lazy("Only responses in the released order of options are scored."),
    TOO_MANY_REPEATS: gettext_lazy("At most %(most)d repeats are scored at once."),
    INCOMPLETE: gettext_lazy(
        "Every test item must be answered in every repeat; repeat %(repeat)d lacks"
        " %(n)d, starting with %(first)s. Nothing was scored."
    ),
}


def refusal_of(upload: Upload) -> str:
    """Return the reason why an upload was refused or could not be scored, or ""."""
    return refusals_of([upload])[upload.pk]


def refusals_of(found: Sequence[Upload]) -> dict[int, str]:
    """Return the reasons why uploads were refused or could not be scored, or "", by upload id."""
    failed = [one.pk for one in found if one.state == UploadState.FAILED and not one.refusal]
    jobs = jobs_of(SCORE, failed) if failed else {}
    return {one.pk: _refusal(one, jobs.get(one.pk)) for one in found}


def _refusal(upload: Upload, job: Job | None) -> str:
    about: Mapping[str, Any] = upload.refusal
    if not about:
        return _failure(job) if upload.state == UploadState.FAILED else ""
    code: str = about["code"]
    if code in REFUSALS:
        return str(REFUSALS[code]) % about
    message: str = _(SENTENCES[ErrorCode(code)]) % {**about["params"], "file": _("this file")}
    return _("Row %(row)d, %(field)s: ") % about + message


def _failure(job: Job | None) -> str:
    """Return why an upload could not be scored: the reason of its job, or a general reason if unknown."""
    if job is not None and job.reason:
        return sentence(job.reason)
    if job is not None and job.state == JobState.DONE:
        return _("Not scored: too few answers name an option.")
    return _("Not scored: too few answers name an option, or scoring failed.")


@dataclass(frozen=True, slots=True)
class Left:
    """The number of uploads left: for the team this week, for the team in total, and for all teams."""

    this_week: int
    of_team: int
    of_release: int

    @property
    def now(self) -> int:
        """The number of uploads that the team can make now."""
        return min(self.this_week, self.of_team, self.of_release)


def left(team: Team) -> Left:
    """Return the number of uploads left for a team. Failed uploads do not count."""
    mine = _counted(uploads(team))
    this_week = mine.filter(created_at__gt=timezone.now() - WEEK)
    return Left(
        this_week=max(0, team.per_week - this_week.count()),
        of_team=max(0, team.in_all - mine.count()),
        of_release=max(0, team.release.uploads_in_all - scored_on(team.release)),
    )


def scored_on(release: Release) -> int:
    """Return the number of uploads that count towards the limit shared by a release and related releases."""
    return _counted(Upload.objects.filter(team__release__in=descent(release))).count()


def _counted(found: QuerySet[Upload]) -> QuerySet[Upload]:
    return found.exclude(state=UploadState.FAILED)


def descent(release: Release) -> set[int]:
    """Return the ids of the releases that share a first ancestor with this release, including its own."""
    rows = Release.objects.filter(project=release.project_id).order_by("pk").values_list("pk", "extends_id")
    first: dict[int, int] = {}
    for pk, extends in rows:
        first[pk] = first.get(extends, pk) if extends else pk
    return {pk for pk, root in first.items() if root == first[release.pk]}


def best_so_far(upload: Upload) -> dict[str, float]:
    """Return the best accuracy by task that the team had seen before this upload."""
    best: dict[str, float] = {}
    earlier = uploads(upload.team).filter(pk__lt=upload.pk, state=UploadState.DONE)
    for totals in earlier.values_list("totals", flat=True):
        for task, total in totals.items():
            best[task] = max(best.get(task, 0.0), total["accuracy"])
    return best


def provable(release: Release) -> tuple[int, int]:
    """Return (maximum number of withheld keys that teams are expected to infer, number of withheld keys)."""
    items = withheld_items(release)
    teams_of = Team.objects.filter(release__in=descent(release)).order_by("pk")
    caps = list(teams_of.values_list("in_all", flat=True)) or [TEAM_UPLOADS]
    return provable_keys(items, caps=caps, in_all=release.uploads_in_all), len(items)


def withheld_items(release: Release) -> list[Keyed]:
    """Return the test items with their withheld answers."""
    rows = ReleaseItem.objects.filter(release=release, split=Split.TEST).order_by("number")
    return [
        Keyed(
            public_id,
            record["task"],
            tuple(record["choices"]),
            kind_of(record["task"]).question.right(record),
            record,
        )
        for public_id, record in rows.values_list("public_id", "record")
    ]


def tasks_of(release: Release) -> dict[str, str]:
    """Return the task of each item by public id."""
    rows = ReleaseItem.objects.filter(release=release).values_list("public_id", "record__task")
    return dict(rows)


def source_ids(release: Release) -> Iterator[tuple[str, str]]:
    """Yield the id with which an item came and its public id, of items that came with one."""
    rows = ReleaseItem.objects.filter(release=release, record__source_id__gt="")
    return rows.values_list("record__source_id", "public_id").iterator()


def words_of(release: Release) -> Iterator[Words]:
    """Yield the texts of the items, by which logs and predictions name them and their options."""
    rows = ReleaseItem.objects.filter(release=release).values_list("public_id", "record")
    for public_id, record in rows.iterator():
        yield Words(public_id, record["story"], record["question"], tuple(record["choices"]))


def numbers_of_options(release: Release) -> dict[str, int]:
    """Return the number of options of each item by public id."""
    rows = ReleaseItem.objects.filter(release=release).values_list("public_id", "order")
    return {public_id: len(order) for public_id, order in rows}
