"""Pushes of releases to the hub of this site.

A user orders a push with a token; a worker sends it. The token is stored encrypted until the push has
finished. No error, event or log contains it or a part of it.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from core.files import DamagedFile
from jobs.job_types import Report, quiet
from jobs.queries import stores_keys
from jobs.seal import Unreadable, seal, unseal
from jobs.services import order_job
from parable.commands.push import RefusedError, require_name, send_release, whole_release
from parable.commands.push import Release as ReleaseFiles
from release.models import Push, PushState, PushStep, Release, ReleaseState
from release.permissions import may_push_release
from release.queries.file import stored_at
from release.queries.push import PUSH, UNREADABLE, WITHDRAWN, refusal_sentence, waiting_push
from release.queries.release import artifacts


class HubLibraryError(Exception):
    """Raised after an error in huggingface_hub. Its message is only the type of that error."""


LONGEST_TOKEN: Final = 500
_TOKEN: Final = re.compile(r"[!-~]+")


@sensitive_variables("token", "text")
@transaction.atomic
def order_push(*, actor: User, release: Release, repo: str, is_public: bool, token: str) -> Push:
    """Order a push of a release to a data set of the hub, which `send_push` sends. Managers only.

    Raise `Conflict` if the release is not ready or is already being sent, or if this site has no hub or
    cannot store tokens; raise `Unusable` if the name of the data set or the token is not valid.
    """
    require(may_push_release(actor, release))
    release = Release.objects.select_for_update(of=("self",)).select_related("project").get(pk=release.pk)
    if release.state != ReleaseState.READY:
        raise Conflict(_("Only a finished release can be pushed."))
    if not settings.HUB_URL:
        raise Conflict(_("This site pushes to no hub."))
    if not stores_keys():
        raise Conflict(_("This site cannot store tokens: PARABLE_KEY_SECRETS is not set."))
    if running := waiting_push(release):
        raise Conflict(_being_sent(release, running.repo))
    text = token.strip()
    _check(repo, text)
    try:
        with transaction.atomic():
            push = Push.objects.create(
                release=release, hub=settings.HUB_URL, repo=repo, is_public=is_public, created_by=actor
            )
    except IntegrityError as error:
        raise Conflict(_being_sent(release, repo)) from error
    push.sealed = seal(text, place=_place(push), secrets=settings.KEY_SECRETS)
    push.save(update_fields=["sealed"])
    about = {"version": release.version, "repo": repo}
    order_job(actor=actor, project=release.project, kind=PUSH, subject=push.pk, about=about)
    detail = {"version": release.version, "hub": push.hub, "repo": repo, "public": is_public}
    record_event(actor=actor, verb="push_release", subject=release, detail=detail)
    return push


def _being_sent(release: Release, repo: str) -> str:
    words = _("%(version)s is being pushed to %(repo)s. Push again when that is done.")
    return words % {"version": release.version, "repo": repo}


@sensitive_variables("text")
def _check(repo: str, text: str) -> None:
    problems = dict[str, str]()
    try:
        require_name(repo)
    except RefusedError as error:
        problems["repo"] = refusal_sentence(error.code, error.named)
    if not text:
        problems["token"] = _("Paste the token.")
    elif len(text) > LONGEST_TOKEN or not _TOKEN.fullmatch(text):
        problems["token"] = _("This is not a token: a token has only letters, digits and signs, no spaces.")
    if problems:
        raise Unusable(problems)


def _place(push: Push) -> str:
    """Return the context to which the encrypted token is bound: this row and its hub."""
    return f"push {push.pk} {push.hub}"


@sensitive_variables("token")
def send_push(*, push_id: int, report: Report = quiet) -> Push:
    """Send a push, close it as done or as failed with the reason, and erase its token.

    Safe to call twice: files that the hub already has are not committed again.
    """
    push = Push.objects.select_related("release").get(pk=push_id)
    if push.state != PushState.WAITING:
        return push
    try:
        token = unseal(push.sealed, place=_place(push), secrets=settings.KEY_SECRETS or ("",))
    except Unreadable:
        return _refuse(push, UNREADABLE)
    if push.release.state != ReleaseState.READY:
        return _refuse(push, WITHDRAWN)
    # read when huggingface_hub is first imported; a worker's log needs no progress bars
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        with tempfile.TemporaryDirectory(prefix="parable-push-") as folder:
            report(PushStep.COPYING)
            for name, sha256 in artifacts(push.release).values_list("name", "sha256"):
                place = Path(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                # if a file is missing or damaged, `whole_release` raises an error
                with (
                    suppress(FileNotFoundError, DamagedFile),
                    stored_at(sha256).open("rb") as stored,
                    place.open("wb") as copy,
                ):
                    shutil.copyfileobj(stored, copy)
            whole = whole_release(Path(folder))
            report(PushStep.SENDING)
            address = _send(push, whole, token)
    except RefusedError as error:
        return _refuse(push, error.code, **error.named)
    if not address.startswith(f"{push.hub}/"):
        address = f"{push.hub}/datasets/{push.repo}"
    return close_push(push_id=push.pk, state=PushState.DONE, address=address)


@sensitive_variables("token")
def _send(push: Push, whole: ReleaseFiles, token: str) -> str:
    try:
        return send_release(whole, push.repo, public=push.is_public, endpoint=push.hub, token=token)
    except Exception as error:
        if isinstance(error, RefusedError | MemoryError):
            raise
        # The log would include the hub's message in this error and its causes, which may contain the token.
        raise HubLibraryError(type(error).__name__) from None


def _refuse(push: Push, code: str, **named: object) -> Push:
    refusal = {"code": code, "named": named}
    return close_push(push_id=push.pk, state=PushState.FAILED, refusal=refusal)


@transaction.atomic
def close_push(
    *, push_id: int, state: str, address: str = "", refusal: Mapping[str, object] | None = None
) -> Push:
    """Close a push unless it has finished, and erase its token. Without `refusal`, the job has the reason."""
    push = Push.objects.select_for_update(of=("self",)).get(pk=push_id)
    if push.state != PushState.WAITING:
        return push
    push.sealed, push.state, push.finished_at = "", state, timezone.now()
    push.address, push.refusal = address, dict(refusal or {})
    push.save()
    return push
