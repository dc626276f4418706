"""The public page of a release, rendered from the release, its errata and its runs.

The site and a published folder have the same files: `pages` yields their names, `page` returns their content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.contrib.staticfiles.finders import find
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from core.errors import Hidden
from core.invariants import present
from evaluation.models import Portion, Publication
from evaluation.queries.dataset import (
    LISTED,
    archive_name,
    dataset,
    folder_name,
    items_of,
    leaderboard_csv,
    leaderboard_svg,
    open_publications,
)
from evaluation.queries.leaderboard import boards
from evaluation.queries.run import items_in
from parable.formats.zip_parts import zip_parts
from projects.models import Project
from release.assembly.records import right_letters
from release.models import Release, ReleaseItem, ReleaseState
from release.queries.file import stored_at
from release.queries.release import artifacts, get_artifact

_CHUNK: Final = 1 << 16
ITEMS_ON_A_PAGE: Final = 50
INDEX: Final = "index.html"
STYLE: Final = "style.css"
SCRIPT: Final = "page.js"
FILES: Final = "files/"
BOARD_CSV: Final = "leaderboard.csv"
BOARD_SVG: Final = "leaderboard.svg"
LANGUAGES: Final = {"en": "en", "zh": "zh-hans"}
"""The language codes of page names, and of translations."""
_PAGE: Final = re.compile(r"(index|items-([1-9][0-9]{0,5}))(?:\.(en|zh))?\.html")
_STYLES: Final = ("css/parable.css", "css/dataset.css")


@dataclass(frozen=True, slots=True)
class PageName:
    """The parsed name of a page: `number` is that of a page of items, 0 for the first page.

    `language`: "en", "zh" or, if the name has none, "".
    """

    number: int
    language: str

    @property
    def stem(self) -> str:
        """The name without language and ending."""
        return f"items-{self.number}" if self.number else "index"


def page_name(name: str) -> PageName | None:
    """Return the parsed name of a page, or None for any other file."""
    found = _PAGE.fullmatch(name)
    return PageName(int(found[2] or 0), found[3] or "") if found else None


def publication_of(release: Release) -> Publication | None:
    """Return the publication of a release, or None."""
    return Publication.objects.filter(release=release).select_related("release__project").first()


def get_publication(*, slug: str, version: str) -> Publication:
    """Return the public page of a ready release. Raise `Hidden` if it is closed or does not exist."""
    opened = Publication.objects.filter(is_open=True, release__state=ReleaseState.READY)
    found = opened.select_related("release__project").filter(
        release__project__slug=slug, release__version=version
    )
    publication = found.first()
    if publication is None:
        raise Hidden(_("There is no such page."))
    return publication


def get_newest(slug: str) -> Publication:
    """Return the public page of a project's newest version. Raise `Hidden` if no page is open."""
    found = open_publications(slug)
    if not found:
        raise Hidden(_("There is no such page."))
    return found[0]


def known_authors(project: Project) -> str:
    """Return the authors of the project's last public page, which a next one is likely to share."""
    found = Publication.objects.filter(release__project=project).exclude(authors="").order_by("-pk")
    return found.values_list("authors", flat=True).first() or ""


# --- the files ------------------------------------------------------------------------------


def pages(publication: Publication) -> Iterator[str]:
    """Yield the names of all files that make up the public page."""
    release = publication.release
    yield STYLE
    yield SCRIPT
    yield archive_name(release)
    if publication.shows_scores and boards(release):
        yield from (BOARD_CSV, BOARD_SVG)
    count = items_in(release, Portion.DEV).count()
    stems = ["index", *(f"items-{number}" for number in range(1, -(-count // ITEMS_ON_A_PAGE) + 1))]
    for stem in stems:
        yield f"{stem}.html"
        yield from (f"{stem}.{code}.html" for code in LANGUAGES)
    for artifact in artifacts(release):
        yield FILES + artifact.name


def page(publication: Publication, name: str, *, site: str | None = None, here: str = "") -> bytes:
    """Return the content of one file of the public page. Raise `Hidden` if there is no file of this name.

    `site`: the prefix of links to this site, "" on this site itself. If None, the page has no such links.
    `here`: the address of this site, for what readers copy, if `site` is "".
    """
    release = publication.release
    if name.startswith(FILES):
        return stored_at(get_artifact(release, name.removeprefix(FILES)).sha256).read_bytes()
    if name == archive_name(release):
        return b"".join(archive(release))
    if name == STYLE:
        return b"\n".join(_static(style) for style in _STYLES)
    if name == SCRIPT:
        return _static("js/dataset.js")
    if publication.shows_scores and name in (BOARD_CSV, BOARD_SVG):
        return _leaderboard(release, name)
    asked = page_name(name)
    if asked is None:
        raise Hidden(_("There is no such page."))
    own = release.project.language
    code = asked.language or own
    more: dict[str, object] = {
        "report_url": None if site is None else site + reverse("release:report"),
        "home_url": None if site is None else site + reverse("dashboard:home"),
        "code": code,
        "stem": asked.stem,
        "languages": [(each, f"{asked.stem}.{each}.html") for each in LANGUAGES if each != code],
    }
    with translation.override(LANGUAGES[code]):
        if asked.number:
            context = _items(release, asked.number) | more
            return render_to_string("evaluation/public/items.html", context).encode()
        context = _index(publication, site, here) | more
        return render_to_string("evaluation/public/index.html", context).encode()


def archive(release: Release) -> Iterator[bytes]:
    """Yield the ZIP archive with all files of a release in pieces; the same bytes each time."""
    folder = folder_name(release)
    return zip_parts((f"{folder}/{file.name}", _stored(file.sha256)) for file in artifacts(release))


def _stored(sha256: str) -> Iterator[bytes]:
    with stored_at(sha256).open("rb") as stored:
        while part := stored.read(_CHUNK):
            yield part


def _static(name: str) -> bytes:
    return Path(present(find(name), "the site's own file")).read_bytes()


def _leaderboard(release: Release, name: str) -> bytes:
    found = boards(release)
    if not found:
        raise Hidden(_("There is no such page."))
    if name == BOARD_CSV:
        return leaderboard_csv(found)
    language = release.project.language
    with translation.override(LANGUAGES[language]):
        return leaderboard_svg(found, f"{release.project.name} {release.version}", language)


def _index(publication: Publication, site: str | None, here: str) -> dict[str, object]:
    release = publication.release
    card = stored_at(get_artifact(release, "README.md").sha256).read_text(encoding="utf-8")
    versions = open_publications(release.project.slug)
    items = items_of(one.release for one in versions[:LISTED])
    return (
        dataset(release, publication, site=site or here, shows_scores=publication.shows_scores)
        | {
            "card": card.partition("\n---\n")[2] if card.startswith("---\n") else card,  # no front matter
            "has_dev": items_in(release, Portion.DEV).exists(),
            "versions": [
                {
                    "release": one.release,
                    "n": items[one.release_id],
                    "is_this": one.release_id == release.pk,
                    "url": None if site is None else site + public_address(one.release),
                }
                for one in versions[:LISTED]
            ],
            "newest": versions[0].release if versions else release,
            "newest_url": None
            if site is None or not versions
            else site + public_address(versions[0].release),
            "home": None if site is None else site,
        }
    )


def public_address(release: Release) -> str:
    """Return the path of the public page of a release."""
    return reverse("evaluation:public", args=[release.project.slug, release.version])


def dev_items(release: Release, number: int) -> QuerySet[ReleaseItem]:
    """Return the dev items of one page; empty if there is no such page."""
    start = (number - 1) * ITEMS_ON_A_PAGE
    return items_in(release, Portion.DEV)[start : start + ITEMS_ON_A_PAGE]


def _items(release: Release, number: int) -> dict[str, object]:
    count = items_in(release, Portion.DEV).count()
    last = -(-count // ITEMS_ON_A_PAGE)
    if not 1 <= number <= last:
        raise Hidden(_("There is no such page."))
    return {
        "release": release,
        "project": release.project,
        "items": [
            item.record | {"id": item.public_id, "answer_letters": right_letters(item.record)}
            for item in dev_items(release, number)
        ],
        "number": number,
        "before": number - 1,
        "after": number + 1,
        "last": last,
        "count": count,
    }
