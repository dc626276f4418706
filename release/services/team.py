"""Teams outside the project: invited by link, their responses scored, so many in all, in totals alone."""

import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.services import record_event, system_account
from core.errors import Conflict, Unusable, require
from jobs.services import order_work
from parable.formats.errors import SENTENCES, RowError
from parable.formats.responses import ResponseRecord, read_responses
from release.models import TEAM_UPLOADS, Release, ReleaseState, Team, Upload, UploadState
from release.permissions import may_invite_teams
from release.queries.release import hashed, stored_at
from release.queries.team import (
    SCORE,
    best_so_far,
    descent,
    left,
    numbers_of_options,
    team_of,
    uploads,
    withheld_items,
)
from release.score import (
    INCOMPLETE,
    LARGEST_UPLOAD,
    OTHER_ORDER,
    SEVERAL_MODELS,
    TOO_MANY_REPEATS,
    find_problem,
    score,
)
from release.services.storage import keep

MOST_A_WEEK: Final = 50
MOST_IN_ALL: Final = 200
MOST_OF_ALL_TEAMS: Final = 1000
LONGEST_NAME: Final = 150

_SENTENCES: Final[Mapping[str, object]] = {
    SEVERAL_MODELS: gettext_lazy("One file must have the responses of one model; this one has %(models)s."),
    OTHER_ORDER: gettext_lazy("Only responses in the released order of options are scored."),
    TOO_MANY_REPEATS: gettext_lazy("At most %(most)d repeats are scored at once."),
    INCOMPLETE: gettext_lazy(
        "Every test item must be answered in every repeat; repeat %(repeat)d lacks"
        " %(n)d, starting with %(first)s. Nothing was scored."
    ),
}


@dataclass(frozen=True, slots=True)
class Invited:
    """A team and the secret of its link, which is known only now."""

    team: Team
    token: str


@transaction.atomic
def invite_team(
    *, actor: User, release: Release, name: str, per_week: int, in_all: int = TEAM_UPLOADS
) -> Invited:
    """Let a team have responses scored on a release whose answers are withheld. Managers only."""
    require(may_invite_teams(actor, release))
    if release.state != ReleaseState.READY:
        raise Conflict(_("Responses are scored only on a finished release."))
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise Unusable(_("Give the team a name."), {"name": _("Give the team a name.")})
    if not 1 <= per_week <= MOST_A_WEEK:
        message = _("A team can upload 1 to %(most)d files per week.") % {"most": MOST_A_WEEK}
        raise Unusable(message, {"per_week": message})
    if not 1 <= in_all <= MOST_IN_ALL:
        message = _("A team can upload 1 to %(most)d files in total.") % {"most": MOST_IN_ALL}
        raise Unusable(message, {"in_all": message})
    if Team.objects.filter(release=release, name=name).exists():
        message = _("There is already a team with this name.")
        raise Unusable(message, {"name": message})
    token = secrets.token_urlsafe(24)
    caps = {"per_week": per_week, "in_all": in_all}
    team = Team.objects.create(release=release, name=name, token_hash=hashed(token), created_by=actor, **caps)
    record_event(actor=actor, verb="invite_team", subject=team, detail=caps)
    return Invited(team, token)


@transaction.atomic
def limit_uploads(*, actor: User, release: Release, uploads_in_all: int) -> None:
    """Set how many uploads all teams of a release have together, over all time. Managers only."""
    require(may_invite_teams(actor, release))
    if not 0 <= uploads_in_all <= MOST_OF_ALL_TEAMS:
        message = _("All teams together can upload 0 to %(most)d files.") % {"most": MOST_OF_ALL_TEAMS}
        raise Unusable(message, {"uploads_in_all": message})
    release = Release.objects.select_for_update(of=("self",), no_key=True).get(pk=release.pk)
    detail = {"from": release.uploads_in_all, "to": uploads_in_all}
    release.uploads_in_all = uploads_in_all
    release.save(update_fields=["uploads_in_all"])
    record_event(actor=actor, verb="limit_uploads", subject=release, detail=detail)


@transaction.atomic
def revoke_team(*, actor: User, team: Team) -> None:
    """Let a team's link work no more. Managers only."""
    require(may_invite_teams(actor, team.release))
    team = Team.objects.select_for_update(of=("self",)).get(pk=team.pk)
    if team.revoked_at is None:
        team.revoked_at = timezone.now()
        team.save(update_fields=["revoked_at"])
        record_event(actor=actor, verb="revoke_team", subject=team)


@transaction.atomic
def upload_responses(*, token: str, content: bytes) -> Upload:
    """Take a team's responses to be scored by a worker.

    Raises `Hidden` or `Conflict` for a link that will not do, `Conflict` where the week's uploads are used
    up or one waits, `Unusable` for a file that is broken or does not answer every item.
    """
    team = team_of(token)
    team = Team.objects.select_for_update(of=("self",)).select_related("release__project").get(pk=team.pk)
    _check_turn(team)
    if len(content) > LARGEST_UPLOAD:
        raise _refuse(_("The file is larger than %(most)d MB.") % {"most": LARGEST_UPLOAD >> 20})
    records = _read(team.release, content)
    _lock_descent(team.release)
    _check_turn(team)
    upload = Upload.objects.create(
        team=team,
        examinee=records[0].model,
        sha256=keep(content),
        bytes=len(content),
        repeats=len({record.repeat for record in records}),
    )
    order_work(
        actor=system_account(),
        project=team.release.project,
        kind=SCORE,
        subject=upload.pk,
        about={"team": team.name},
        is_capped=False,  # how much a team may upload is counted above
    )
    record_event(actor=system_account(), verb="upload_responses", subject=upload, detail={"team": team.name})
    return upload


def _check_turn(team: Team) -> None:
    if uploads(team).filter(state=UploadState.WAITING).exists():
        raise Conflict(_("Your last file is still being scored. Upload the next one afterwards."))
    now = left(team)
    if not now.of_team:
        words = _("Your team has used all its %(n)d uploads. Ask the person who invited you for more.")
        raise Conflict(words % {"n": team.in_all})
    if not now.of_release:
        words = _(
            "All teams together have used their %(n)d uploads. Ask the person who invited you for more."
        )
        raise Conflict(words % {"n": team.release.uploads_in_all})
    if not now.this_week:
        words = _("Your team has used its %(n)d uploads of these seven days. Come back later.")
        raise Conflict(words % {"n": team.per_week})


def _lock_descent(release: Release) -> None:
    """Let no two teams take the last upload that they have together."""
    list(Release.objects.select_for_update(no_key=True).filter(pk=min(descent(release))).order_by("pk"))


def _refuse(sentence: str) -> Unusable:
    return Unusable(sentence, {"file": sentence})


def _read(release: Release, content: bytes) -> tuple[ResponseRecord, ...]:
    records, errors = _parsed(release, content)
    if errors:
        raise _refuse(_said(errors[0]))
    problem = find_problem(records, (item.id for item in withheld_items(release)))
    if problem is not None:
        raise _refuse(str(_SENTENCES[problem.code]) % problem.about)
    return records


def _said(error: RowError) -> str:
    place = _("Row %(row)d, %(field)s: ") % {"row": error.row, "field": error.field}
    return place + _(SENTENCES[error.code]) % {**error.params, "file": _("this file")}


def _parsed(release: Release, content: bytes) -> tuple[tuple[ResponseRecord, ...], tuple[RowError, ...]]:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as part:
        part.write(content)
        part.flush()
        found = read_responses([Path(part.name)], options=numbers_of_options(release))
    return found.records, found.errors


def score_upload(*, upload_id: int) -> Upload:
    """Score what a team has uploaded, once; safe to call twice and by two workers at once."""
    upload = Upload.objects.select_related("team__release").get(pk=upload_id)
    if upload.state != UploadState.WAITING:
        return upload
    release = upload.team.release
    records, _errors = _parsed(release, stored_at(upload.sha256).read_bytes())
    totals = score(records, withheld_items(release), best_so_far(upload))
    state = UploadState.FAILED if totals is None else UploadState.DONE
    return close_upload(upload_id=upload.pk, state=state, totals=totals or {})


@transaction.atomic
def close_upload(*, upload_id: int, state: str, totals: Mapping[str, object] | None = None) -> Upload:
    """Note what scoring came to, unless somebody has; a fault leaves no totals and does not count."""
    upload = Upload.objects.select_for_update(of=("self",)).get(pk=upload_id)
    if upload.state == UploadState.WAITING:
        upload.state, upload.totals, upload.finished_at = state, dict(totals or {}), timezone.now()
        upload.save(update_fields=["state", "totals", "finished_at"])
    return upload
