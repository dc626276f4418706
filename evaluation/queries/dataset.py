"""The page of a release as a data set: what it is, samples, leaderboard, checks, how to use and cite it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from evaluation.models import Publication
from evaluation.queries.leaderboard import Board, boards, place
from parable.charts import Row, Scale, as_file, by_row, shares
from parable.formats.table_writer import Sheet, write_csv
from parable.kinds import KINDS
from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING
from parable.splits import SPLITS
from release.assembly.records import right_letters
from release.assembly.versions import Version, parse
from release.card.citation import authors_of, bibtex
from release.files.usage import usages
from release.models import Release, ReleaseState
from release.queries.release import artifacts
from release.queries.report import errata_of
from release.queries.sample import sample_items
from web.rows import Values

MOST_VERSIONS: Final = 100
"""The maximum number of open public pages of a project that are read to find the newest one."""
LISTED: Final = 10
"""The number of versions that a page lists."""
_OVERRIDDEN: Final = "overridden"
_MEASURED: Final = 6
"""The number of gates that are drawn: those whose accuracy without reading is nearest to their limit."""


@dataclass(frozen=True, slots=True)
class Measured:
    """An accuracy with its interval, as shares. `chance` and `limit` are None if there is none."""

    name: str
    about: str
    value: float
    low: float | None
    high: float | None
    chance: float | None = None
    limit: float | None = None

    @property
    def percent(self) -> str:
        """The value as a percentage."""
        return f"{100 * self.value:.1f}"

    @property
    def interval(self) -> str:
        """The interval in per cent, or ""."""
        return "" if self.low is None or self.high is None else f"{100 * self.low:.1f}–{100 * self.high:.1f}"

    @property
    def is_out(self) -> bool:
        """Whether the value is beyond the limit of a release."""
        return self.limit is not None and self.value > self.limit

    @property
    def at(self) -> str:
        """The place of the value on an axis from 0 to 100 %."""
        return place(self.value)

    @property
    def low_at(self) -> str:
        """The place of the lower end of the interval, or ""."""
        return "" if self.low is None else place(self.low)

    @property
    def high_at(self) -> str:
        """The place of the upper end of the interval, or ""."""
        return "" if self.high is None else place(self.high)

    @property
    def chance_at(self) -> str:
        """The place of the chance level, or ""."""
        return "" if self.chance is None else place(self.chance)

    @property
    def limit_at(self) -> str:
        """The place of the limit, or ""."""
        return "" if self.limit is None else place(self.limit)


@dataclass(frozen=True, slots=True)
class Checks:
    """The results of the gates: their number by state, in the order of the bar."""

    states: tuple[tuple[str, int], ...]
    overridden: tuple[str, ...]
    reason: str

    @property
    def bar(self) -> list[tuple[str, int]]:
        """One (state, place) for each gate."""
        found = [state for state, n in self.states for _each in range(n)]
        return [(state, place) for place, state in enumerate(found)]

    @property
    def width(self) -> int:
        """The number of gates."""
        return sum(n for _state, n in self.states)

    @property
    def sentence(self) -> str:
        """The numbers as a sentence."""
        counted = dict(self.states)
        n, passed = sum(counted.values()), counted.get(OK, 0)
        parts = [
            ngettext(
                "%(passed)d of %(n)d check of the set passes", "%(passed)d of %(n)d checks of the set pass", n
            )
            % {"passed": passed, "n": n}
        ]
        if found := counted.get(WARNING):
            parts.append(ngettext("%(n)d warns", "%(n)d warn", found) % {"n": found})
        if found := counted.get(_OVERRIDDEN):
            words = ngettext(
                "%(n)d was overridden with a reason", "%(n)d were overridden with a reason", found
            )
            parts.append(words % {"n": found})
        if found := counted.get(NOT_APPLICABLE):
            parts.append(ngettext("%(n)d does not apply", "%(n)d do not apply", found) % {"n": found})
        return _(", ").join(parts)


def archive_name(release: Release) -> str:
    """Return the name of the ZIP archive with all files of a release."""
    return f"{folder_name(release)}.zip"


def folder_name(release: Release) -> str:
    """Return the name of the folder in the archive."""
    return f"{release.project.slug}-{release.version}"


def open_publications(slug: str) -> list[Publication]:
    """Return the open public pages of a project, highest version first, final versions before trials."""
    found = Publication.objects.filter(
        is_open=True, release__state=ReleaseState.READY, release__project__slug=slug
    )
    light = found.select_related("release__project").defer("release__manifest", "release__recipe")
    newest = light.order_by("-release")[:MOST_VERSIONS]
    return sorted(newest, key=lambda one: _order(parse(one.release.version)), reverse=True)


def _order(version: Version) -> tuple[object, ...]:
    return not version.trial, *version.rank


def items_of(releases: Iterable[Release]) -> dict[int, int]:
    """Return the number of items of each release, by its primary key."""
    found = Release.objects.filter(pk__in=[one.pk for one in releases])
    counted = found.order_by().values_list("pk", "manifest__counts")
    return {pk: sum(sum(cell.values()) for cell in (counts or {}).values()) for pk, counts in counted}


def dataset(
    release: Release, publication: Publication | None, *, site: str | None, shows_scores: bool
) -> dict[str, object]:
    """Return the context of the page of a release as a data set.

    `site`: the address of the site in front of the paths in code and citation; None or "" if it is unknown.
    `shows_scores`: whether the page has a leaderboard.
    """
    files = list(artifacts(release))
    path = f"/r/{release.project.slug}/{release.version}/"
    is_public = publication is not None and publication.is_open
    archive = f"{site}{path}{archive_name(release)}" if site and is_public else ""
    sums = next((file.sha256 for file in files if file.name == "SHA256SUMS"), "")
    found = boards(release) if shows_scores else []
    return {
        "release": release,
        "project": release.project,
        "about": _about(release),
        "facts": list(_facts(release)),
        "samples": samples(release),
        "board": found[0] if found else None,
        "more_boards": found[1:],
        "quality": list(_quality(release)),
        "checks": checks(release),
        "making": list(_making(release)),
        "usages": list(
            usages(folder=folder_name(release), archive=archive, names={file.name for file in files})
        ),
        "archive_name": archive_name(release),
        "files": files,
        "bytes": sum(file.bytes for file in files),
        "citation": bibtex(
            name=release.project.slug,
            title=release.project.name,
            authors=authors_of(publication.authors if publication else ""),
            year=(release.ready_at or release.created_at).year,
            version=release.version,
            url=f"{site}{path}" if site and is_public else "",
            sums=sums,
        ),
        "errata": list(errata_of(release)),
        "is_withheld": release.recipe["withhold_test"],
    }


def _about(release: Release) -> str:
    """Return the description in the project's words, or a sentence made from the counts."""
    described = str(release.manifest.get("facts", {}).get("description", "")).strip()
    if described:
        return described.partition("\n")[0]
    n, stories = _items(release), release.manifest.get("stories", 0)
    words = ngettext(
        "%(n)d question on %(stories)d stories, which test how well language models understand them.",
        "%(n)d questions on %(stories)d stories, which test how well language models understand them.",
        n,
    )
    return words % {"n": n, "stories": stories}


def _items(release: Release) -> int:
    return sum(sum(cell.values()) for cell in release.manifest.get("counts", {}).values())


def _facts(release: Release) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of what describes the release in numbers and words."""
    counted = release.manifest.get("counts", {})
    splits = {split: sum(cell.get(split, 0) for cell in counted.values()) for split in SPLITS}
    present = [split for split in SPLITS if splits[split]]
    yield _("Items"), f"{_items(release):,}"
    if stories := release.manifest.get("stories"):
        yield _("Stories"), f"{stories:,}"
    yield " / ".join(_(split) for split in present), " / ".join(f"{splits[split]:,}" for split in present)
    yield _("Tasks"), _(", ").join(_(KINDS[task].name) for task in sorted(counted) if task in KINDS)
    yield _("Language"), release.project.get_language_display()
    if licence := str(release.manifest.get("facts", {}).get("licence", "")).strip():
        yield _("Licence"), licence
    yield _("Test answers"), _("withheld") if release.recipe["withhold_test"] else _("included")


def samples(release: Release) -> list[Values]:
    """Return the sample items as records with their public id, the names of task and types, and the key."""
    is_chinese = (get_language() or "").startswith("zh")
    types = release.manifest.get("facts", {}).get("types", ())
    names = {code: chinese if is_chinese else english for code, chinese, english in types}
    return [
        item.record
        | {
            "pk": item.pk,
            "item": item.item_id,
            "id": item.public_id,
            "task_name": _(KINDS[item.record["task"]].name),
            "type_names": [names.get(code) or code for code in item.record.get("types") or ()],
            "answer_letters": right_letters(item.record),
        }
        for item in sample_items(release)
    ]


def _quality(release: Release) -> Iterator[Measured]:
    """Yield how well people answer without the key, and how well one can guess without reading a story."""
    people = release.manifest.get("facts", {}).get("accuracy", {}).get("", {})
    if people.get("n") and people.get("value") is not None:
        about = ngettext(
            "%(n)d answer, given before the key was shown",
            "%(n)d answers, given before the key was shown",
            people["n"],
        ) % {"n": people["n"]}
        yield Measured(_("People, blind"), about, people["value"], people.get("low"), people.get("high"))
    details = release.manifest.get("details", [])
    found = [
        (answer, detail)
        for answer, detail in zip(release.manifest.get("gates", []), details, strict=False)
        if answer["low"] is not None and answer["figure"] is not None
    ]
    found.sort(key=lambda one: (one[0].get("threshold") or 1.0) - one[0]["figure"])
    for answer, detail in found[:_MEASURED]:
        yield Measured(
            name=_(GATES[answer["id"]].name),
            about=_(KINDS[answer["task"]].name) if answer["task"] in KINDS else "",
            value=answer["figure"],
            low=answer["low"],
            high=answer["high"],
            chance=detail.get("chance"),
            limit=answer.get("threshold"),
        )


def checks(release: Release) -> Checks:
    """Return the results of the gates by state; a gate of several tasks counts once, by its worst result."""
    order = [OK, WARNING, _OVERRIDDEN, ERROR, NOT_APPLICABLE]
    allowed = release.recipe.get("allow", ())
    worst: dict[str, str] = {}
    for answer in release.manifest.get("gates", []):
        verdict = answer["verdict"]
        state = _OVERRIDDEN if verdict == ERROR and answer["id"] in allowed else verdict
        before = worst.setdefault(answer["id"], state)
        if _harm(state) > _harm(before):
            worst[answer["id"]] = state
    counted = Counter(worst.values())
    return Checks(
        states=tuple((state, counted[state]) for state in order if counted[state]),
        overridden=tuple(_(GATES[gate].name) for gate in worst if worst[gate] == _OVERRIDDEN),
        reason=release.recipe.get("reason", ""),
    )


def _harm(state: str) -> int:
    return [NOT_APPLICABLE, OK, WARNING, _OVERRIDDEN, ERROR].index(state)


def _making(release: Release) -> Iterator[tuple[int, str]]:
    """Yield (number, sentence) of the steps from writing to the release."""
    facts = release.manifest.get("facts", {})
    writers = facts.get("writers", 0) + facts.get("named_writers", 0)
    if written := sum(n for task, n in facts.get("written", {}).items() if task):
        words = ngettext("items written by %(n)d person", "items written by %(n)d people", writers)
        yield written, words % {"n": writers} if writers else _("items written")
    if reviewers := facts.get("reviewers", 0):
        words = ngettext(
            "person answered and rated them without seeing the key",
            "people answered and rated them without seeing the key",
            reviewers,
        )
        yield reviewers, words
    if verifiers := facts.get("verifiers", 0):
        words = ngettext(
            "person verified them, with no part in writing or review",
            "people verified them, with no part in writing or review",
            verifiers,
        )
        yield verifiers, words
    yield _items(release), _("items released")


# --- the leaderboard as files ---------------------------------------------------------------


def leaderboard_csv(found: Sequence[Board]) -> bytes:
    """Return all leaderboards as CSV; accuracies are shares."""
    heading = ("split", "task", "rank", "examinee", "people", "items", "accuracy", "low", "high", "step")
    rows: Iterator[Sequence[str | int | float]] = (
        (
            board.split,
            board.task or "all",
            one.rank,
            one.name,
            int(one.is_people),
            one.n,
            *(round(share, 4) for share in (one.accuracy, one.low, one.high, one.step)),
        )
        for board in found
        for one in board.standings
    )
    return write_csv(Sheet("leaderboard", heading, rows))


def leaderboard_svg(found: Sequence[Board], title: str, language: str) -> bytes:
    """Return the first leaderboard, and those of its split by task, as one SVG file."""
    scale: Scale = shares(language)
    charts = [
        by_row(
            f"{board.task_name} · {board.split_name}",
            [
                Row(one.name, f"{one.percent} [{one.interval}]", [("dot", one.accuracy)], (one.low, one.high))
                for one in board.standings
            ],
            scale,
            chance=board.chance,
        )
        for board in found
        if board.split == found[0].split
    ]
    return str(as_file(charts, title, language)).encode()
