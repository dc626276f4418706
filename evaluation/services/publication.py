"""Services that open and close the public page of a release, or write it to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from core.errors import Conflict, Unusable, require
from evaluation.models import Publication
from evaluation.permissions import may_change_results
from evaluation.queries.dataset import archive_name
from evaluation.queries.publication import archive, page, pages
from events.models import EventKind
from release.card.citation import authors_of
from release.models import Release, ReleaseState
from release.services import publish_release

MOST_AUTHORS: Final = 4000
"""The maximum length of the list of authors, in characters."""


@transaction.atomic
def set_publication(
    *, actor: User, release: Release, is_open: bool, shows_scores: bool, authors: str | None = None
) -> Publication:
    """Open or close the public page of a release, and set the authors of its citation. Managers only.

    `authors` has one author to a line; None leaves them as they are. Raise `Conflict` if a page is opened for
    a release that is not ready or is anonymous; the address would name its project. Raise `Unusable` if the
    authors are too long.
    """
    require(may_change_results(actor, release.project))
    if is_open and release.state != ReleaseState.READY:
        raise Conflict(_("Only a release that is ready has a public page."))
    if is_open and release.recipe.get("anonymous"):
        raise Conflict(_("An anonymous release has no public page: its address would name the project."))
    wanted: dict[str, object] = {"is_open": is_open, "shows_scores": shows_scores, "changed_by": actor}
    if authors is not None:
        wanted["authors"] = "\n".join(authors_of(authors))
        if len(authors) > MOST_AUTHORS:
            raise Unusable(_("At most %(n)d characters.") % {"n": MOST_AUTHORS}, "authors")
    # locks the release, so that two changes of the page follow each other
    Release.objects.select_for_update(no_key=True, of=("self",)).get(pk=release.pk)
    was_open = Publication.objects.filter(release=release, is_open=True).exists()
    publication, _made = Publication.objects.update_or_create(release=release, defaults=wanted)
    detail = {"is_open": is_open, "shows_scores": shows_scores}
    record_event(actor=actor, verb="set_publication", subject=release, detail=detail)
    if is_open != was_open:
        publish_release(release, EventKind.RELEASE_PUBLISHED if is_open else EventKind.RELEASE_UNPUBLISHED)
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
        if name == archive_name(publication.release):
            with path.open("wb") as file:
                file.writelines(archive(publication.release))
        else:
            path.write_bytes(page(publication, name, site=settings.SITE_URL or None))
    return len(names)
