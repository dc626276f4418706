"""Services that open and close the public page of a release, or write it to a folder."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from evaluation.models import Publication
from evaluation.permissions import may_change_results
from evaluation.queries.publication import page, pages
from release.models import Release, ReleaseState


@transaction.atomic
def set_publication(*, actor: User, release: Release, is_open: bool, shows_scores: bool) -> Publication:
    """Open or close the public page of a release. Managers only.

    Raise `Conflict` if a page is opened for a release that is not ready or is anonymous; the address would
    name its project.
    """
    require(may_change_results(actor, release.project))
    if is_open and release.state != ReleaseState.READY:
        raise Conflict(_("Only a release that is ready has a public page."))
    if is_open and release.recipe.get("anonymous"):
        raise Conflict(_("An anonymous release has no public page: its address would name the project."))
    wanted = {"is_open": is_open, "shows_scores": shows_scores, "changed_by": actor}
    publication, _made = Publication.objects.update_or_create(release=release, defaults=wanted)
    detail = {"is_open": is_open, "shows_scores": shows_scores}
    record_event(actor=actor, verb="set_publication", subject=release, detail=detail)
    return publication


def publish(*, actor: User, publication: Publication, folder: Path) -> int:
    """Write the public page into a folder and return the number of files. Managers only.

    Raise `Unusable` if the folder contains other files, or if a file would be written outside the folder.
    """
    require(may_change_results(actor, publication.release.project))
    names = list(pages(publication))
    strange = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - set(names)
    if strange:
        raise Unusable(_("The folder contains other files, such as %(name)s.") % {"name": min(strange)})
    outside = [name for name in names if not (folder / name).resolve().is_relative_to(folder.resolve())]
    if outside:
        raise Unusable(_("%(name)s would be written outside the folder.") % {"name": outside[0]})
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page(publication, name, site=settings.SITE_URL or None))
    return len(names)
