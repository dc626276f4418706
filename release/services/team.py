"""Services for teams outside the project.

Teams are invited by link, have limited uploads, and see totals only.
"""

import hashlib
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event, system_account
from accounts.tokens import token_hash
from core.errors import Conflict, Unusable, require
from jobs.services import order_job
from parable.formats.errors import RowError
from parable.formats.responses import ResponseRecord, read_responses
from release.models import TEAM_UPLOADS, Release, ReleaseState, Team, Upload, UploadState
from release.permissions import may_invite_teams
from release.queries.file import stored_at
from release.queries.team import (
    SCORE,
    best_so_far,
    descent,
    left,
    numbers_of_options,
    source_ids,
    tasks_of,
    team_of,
    uploads,
    withheld_items,
    words_of,
)
from release.score import LARGEST_UPLOAD, Refusal, find_problem, score
from release.services.storage import keep
from web.file_store import read_upload

SCORE_LIMITS: Final = {"score": "30/h/ip"}
"""The limits on the number of uploads from one IP address."""
MOST_A_WEEK: Final = 50
MOST_IN_ALL: Final = 200
MOST_OF_ALL_TEAMS: Final = 1000
LONGEST_NAME: Final = 150
ROOT: Final = "uploads_of_teams"
"""The folder of uploaded files. A file is deleted when it has been read."""


@dataclass(frozen=True, slots=True)
class Invited:
    """A new team and the token of its link.

    Only a hash of the token is stored, so it cannot be read later.
    """

    team: Team
    token: str


@transaction.atomic
def invite_team(
    *, actor: User, release: Release, name: str, per_week: int, in_all: int = TEAM_UPLOADS
) -> Invited:
    """Create a team that may have responses scored on a release with withheld answers. Managers only.

    Raise `Conflict` if the release is not ready, `Unusable` with the invalid field.
    """
    require(may_invite_teams(actor, release))
    if release.state != ReleaseState.READY:
        raise Conflict(_("Responses are scored only on a finished release."))
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise Unusable(_("Give the team a name."), "name")
    if not 1 <= per_week <= MOST_A_WEEK:
        message = _("A team can upload 1 to %(most)d files per week.") % {"most": MOST_A_WEEK}
        raise Unusable(message, "per_week")
    if not 1 <= in_all <= MOST_IN_ALL:
        message = _("A team can upload 1 to %(most)d files in total.") % {"most": MOST_IN_ALL}
        raise Unusable(message, "in_all")
    if Team.objects.filter(release=release, name=name).exists():
        message = _("There is already a team with this name.")
        raise Unusable(message, "name")
    token = secrets.token_urlsafe(24)
    caps = {"per_week": per_week, "in_all": in_all}
    team = Team.objects.create(
        release=release, name=name, token_hash=token_hash(token), created_by=actor, **caps
    )
    record_event(actor=actor, verb="invite_team", subject=team, detail=caps)
    return Invited(team, token)


@transaction.atomic
def limit_uploads(*, actor: User, release: Release, uploads_in_all: int) -> None:
    """Set the limit on the uploads of all teams of a release together. Managers only."""
    require(may_invite_teams(actor, release))
    if not 0 <= uploads_in_all <= MOST_OF_ALL_TEAMS:
        message = _("All teams together can upload 0 to %(most)d files.") % {"most": MOST_OF_ALL_TEAMS}
        raise Unusable(message, "uploads_in_all")
    release = Release.objects.select_for_update(of=("self",), no_key=True).get(pk=release.pk)
    detail = {"from": release.uploads_in_all, "to": uploads_in_all}
    release.uploads_in_all = uploads_in_all
    release.save(update_fields=["uploads_in_all"])
    record_event(actor=actor, verb="limit_uploads", subject=release, detail=detail)


@transaction.atomic
def revoke_team(*, actor: User, team: Team) -> None:
    """Revoke a team's link. Managers only."""
    require(may_invite_teams(actor, team.release))
    team = Team.objects.select_for_update(of=("self",)).get(pk=team.pk)
    if team.revoked_at is None:
        team.revoked_at = timezone.now()
        team.save(update_fields=["revoked_at"])
        record_event(actor=actor, verb="revoke_team", subject=team)


@transaction.atomic
def upload_responses(*, token: str, content: bytes) -> Upload:
    """Store a team's responses to be scored by a worker; the caller must dispatch the job.

    Raise `Hidden` or `Conflict` for an invalid link, `Conflict` if no uploads are left or the last upload is
    not scored yet, and `Unusable` for a file that is too large.
    """
    team = team_of(token)
    team = Team.objects.select_for_update(of=("self",)).select_related("release__project").get(pk=team.pk)
    if len(content) > LARGEST_UPLOAD:
        message = _("The file is larger than %(most)d MB.") % {"most": LARGEST_UPLOAD >> 20}
        raise Unusable(message, "file")
    # lock the oldest related release, so that two teams cannot both use the last shared upload
    list(Release.objects.select_for_update(no_key=True).filter(pk=min(descent(team.release))).order_by("pk"))
    _check_turn(team)
    upload = Upload.objects.create(
        team=team,
        sha256=hashlib.sha256(content).hexdigest(),
        kept_as=default_storage.save(f"{ROOT}/{secrets.token_hex(16)}.jsonl", ContentFile(content)),
        bytes=len(content),
    )
    order_job(
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


def score_upload(*, upload_id: int) -> Upload:
    """Parse and score a team's upload, and close it. Safe to call twice, even from two workers at once.

    A file that is invalid or does not answer every item is refused with the reason, and does not count.
    """
    upload = Upload.objects.select_related("team__release").get(pk=upload_id)
    if upload.state != UploadState.WAITING:
        return upload
    content, items = _content(upload), withheld_items(upload.team.release)
    records, errors = _parsed(upload.team, content)
    refusal = _refusal_of(errors[0]) if errors else find_problem(records, (item.id for item in items))
    if refusal is not None:
        return close_upload(upload_id=upload.pk, state=UploadState.FAILED, refusal=refusal)
    keep(content)
    totals = score(records, items, best_so_far(upload))
    state = UploadState.FAILED if totals is None else UploadState.DONE
    return close_upload(upload_id=upload.pk, state=state, read=records, totals=totals)


def _content(upload: Upload) -> bytes:
    if not upload.kept_as:  # uploaded before workers read files
        return stored_at(upload.sha256).read_bytes()
    return read_upload(upload.kept_as, sha256=upload.sha256)


def _parsed(team: Team, content: bytes) -> tuple[Sequence[ResponseRecord], tuple[RowError, ...]]:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as part:
        part.write(content)
        part.flush()
        found = read_responses(
            [Path(part.name)],
            options=numbers_of_options(team.release),
            tasks=tasks_of(team.release),
            words=words_of(team.release),
            sources=source_ids(team.release),
            model=team.name,
        )
    return found.records, found.errors


def _refusal_of(error: RowError) -> Refusal:
    """Return an error as a refusal to store, without the name of the temporary file."""
    params = {name: value for name, value in error.params.items() if name != "file"}
    return Refusal(error.code, {"row": error.row, "field": error.field, "params": params})


@transaction.atomic
def close_upload(
    *,
    upload_id: int,
    state: str,
    read: Sequence[ResponseRecord] = (),
    totals: Mapping[str, object] | None = None,
    refusal: Refusal | None = None,
) -> Upload:
    """Save the result of an upload unless it has one. A failed upload has no totals and does not count."""
    upload = Upload.objects.select_for_update(of=("self",)).get(pk=upload_id)
    if upload.state != UploadState.WAITING:
        return upload
    if upload.kept_as:
        transaction.on_commit(partial(default_storage.delete, upload.kept_as), robust=True)
    upload.kept_as, upload.state, upload.finished_at = "", state, timezone.now()
    upload.examinee = read[0].model if read else ""
    upload.repeats, upload.totals = len({record.repeat for record in read}), dict(totals or {})
    upload.refusal = {"code": refusal.code, **refusal.about} if refusal else {}
    upload.save()
    return upload
