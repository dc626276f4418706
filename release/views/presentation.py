"""View models for the pages of a release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from annotation.kinds import task_name
from annotation.models import Style
from parable.charts import Chart
from parable.formats.conversion import WORDS
from parable.formats.format import LOSABLE, foreign_formats
from parable.quality.finding import BaseCheck
from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING
from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS
from parable.splits import SPLITS, TRAIN, splits_among
from projects.models import Project
from release.card.blocks import Block
from release.models import Release, ReleaseState, Split, Upload
from release.queries.release import artifacts, count_written
from release.queries.report import reports_in
from release.views import plots

TONES: Final = {OK: "good", WARNING: "careful", ERROR: "wrong", NOT_APPLICABLE: ""}
ICONS: Final = {OK: "check", WARNING: "careful", ERROR: "wrong", NOT_APPLICABLE: "more"}
STATE_TONES: Final = {
    ReleaseState.BUILDING: "",
    ReleaseState.READY: "good",
    ReleaseState.FAILED: "wrong",
    ReleaseState.WITHDRAWN: "careful",
}

STATE_ICONS: Final = {
    ReleaseState.BUILDING: "clock",
    ReleaseState.READY: "check",
    ReleaseState.FAILED: "wrong",
    ReleaseState.WITHDRAWN: "careful",
}


@dataclass(frozen=True, slots=True)
class CheckCount:
    """A check of single items, the number of items that fail it, and whether the gate fails because of it."""

    name: str
    items: int
    fails: bool


@dataclass(frozen=True, slots=True)
class GateView:
    """A gate's result as text, with an explanation of why the gate matters."""

    id: str
    name: str
    task: str
    verdict: str
    tone: str
    icon: str
    figure: str
    looked_at: int
    looks_at: str
    why: str
    fix: str
    allowed: bool
    chart: Chart | None
    offenders: Sequence[Mapping[str, Any]]
    more: int
    fix_url: str
    stands_out: bool = False
    too_few: bool = False
    checks: Sequence[CheckCount] = ()
    rules: Sequence[str] = ()
    facts: Sequence[str] = ()
    threshold: str = ""
    tests: int = 0
    sample_of: int | None = None
    has_figure: bool = True

    @property
    def title(self) -> str:
        """The name of the gate and, if the result is about a single task, the name of the task."""
        if not self.task:
            return self.name
        return _("%(gate)s, %(task)s") % {"gate": self.name, "task": self.task}

    @property
    def applies(self) -> bool:
        """Whether the gate applies to these items."""
        return bool(self.tone) or self.has_figure


def gates(release: Release) -> list[GateView]:
    """Return the view models of the gates' results. The gates that stop the build come first."""
    answers = release.manifest.get("gates", [])
    details = release.manifest.get("details", [])
    shown = []
    for answer, detail in zip(answers, details, strict=True):
        verdict = answer["verdict"]
        allowed = verdict == ERROR and answer["id"] in release.recipe["allow"]
        said = state_words("overridden" if allowed else STATES[verdict])
        shown.append(gate_view(answer, detail, project=release.project, said=said, allowed=allowed))
    order = ["wrong", "careful", "good", ""]
    return sorted(shown, key=lambda gate: order.index(gate.tone))


def stopped_by(release: Release) -> str:
    """Return a sentence that names the gates that stopped the build, or ""."""
    names = [_(GATES[gate].name) for gate in release.manifest.get("stopped", [])]
    return _("Failed gates: %(gates)s") % {"gates": ", ".join(names)} if names else ""


def gate_view(
    answer: Mapping[str, Any],
    detail: Mapping[str, Any],
    *,
    project: Project,
    said: str,
    allowed: bool = False,
) -> GateView:
    """Return the view model of a gate's result. `said` is the displayed verdict.

    `detail` has the number of items checked and the first items behind the result.
    """
    gate, verdict = GATES[answer["id"]], answer["verdict"]
    stands_out = bool(detail.get("stands_out"))
    too_few = verdict == NOT_APPLICABLE and answer["low"] is not None
    stories = reverse("dashboard:stories", args=[project.slug])
    failed = detail.get("failed", ())
    known: Mapping[str, BaseCheck] = {**KIND_CHECKS, **CHECKS}
    found = [
        CheckCount(_(known[check].name), items, check in failed)
        for check, items in detail.get("checks", {}).items()
        if check in known
    ]
    checks = sorted(found, key=lambda one: not one.fails)
    return GateView(
        id=gate.id,
        name=_(gate.name),
        task=task_name(answer["task"]) if answer["task"] else "",
        verdict=_("Under 100 items") if too_few and said == state_words("") else said,
        tone="careful" if stands_out else TONES[verdict],
        icon="careful" if stands_out else ICONS[verdict],
        figure=plots.figure(answer, detail),
        looked_at=detail["looked_at"],
        looks_at=_(gate.looks_at),
        why=_(gate.why),
        fix=_(gate.fix),
        allowed=allowed,
        chart=plots.chart(answer, detail),
        offenders=detail["offenders"],
        more=detail.get("named", len(answer["items"])) - len(detail["offenders"]),
        fix_url=f"{stories}?{gate.story_field}=unknown" if gate.story_field else "",
        stands_out=stands_out,
        too_few=too_few,
        checks=checks,
        rules=gate.rules_found(detail, _),
        facts=gate.facts(detail, _),
        threshold=plots.threshold(answer),
        tests=detail.get("tests", 0),
        sample_of=detail.get("sample_of"),
        has_figure=answer["figure"] is not None,
    )


def share_name(task: str, style: str) -> str:
    """Return the displayed name of a task and a style together."""
    words = {"task": task_name(task), "style": dict(Style.choices).get(style, style)}
    return _("%(task)s, %(style)s") % words


STATES: Final = {OK: "passes", WARNING: "warning", ERROR: "fails", NOT_APPLICABLE: ""}
"""The state of a gate by its verdict, unless the gate is overridden."""


def state_words(state: str) -> str:
    """Return the displayed name of a gate's state. It is the same on every page."""
    return {
        "fails": pgettext("gate", "Fails"),
        "overridden": pgettext("gate", "Overridden"),
        "warning": pgettext("gate", "Warning"),
        "passes": pgettext("gate", "Passes"),
        "checking": pgettext("gate", "Checking"),
        "": _("Not applicable"),
    }[state]


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a release page."""

    name: str
    title: str
    url: str
    count: int | None = None


def tabs(release: Release, gates: Sequence[GateView]) -> list[Tab]:
    """Return the tabs of a release page. A release that was not frozen has only the tab of the gates."""
    address = [release.project.slug, release.version]
    gates_tab = Tab("gates", _("Gates"), reverse("release:release_gates", args=address), len(gates))
    if release.state not in (ReleaseState.READY, ReleaseState.WITHDRAWN):
        return [gates_tab] if gates else []
    reported = reports_in(release).count()
    is_ready = release.state == ReleaseState.READY
    files = artifacts(release).count() if is_ready else 0
    found = [gates_tab, Tab("files", _("Files"), reverse("release:detail", args=address), files)]
    if is_ready:
        found.append(Tab("card", _("Card"), reverse("release:card", args=address)))
    return [
        *found,
        Tab(
            "reports",
            pgettext("tab of a release", "Reports"),
            reverse("release:release_reports", args=address),
            reported,
        ),
    ]


def key_table(release: Release) -> dict[str, object]:
    """Return the numbers of keys by position, task and split as one table."""
    keys: Mapping[str, Mapping[str, Mapping[str, int]]] = release.manifest.get("keys", {})
    cells = [
        (task, split, keys[task][split])
        for task in sorted(keys)
        for split in sorted(keys[task], key=SPLITS.index)
    ]
    letters = sorted({letter for _task, _split, cell in cells for letter in cell})
    rows = [
        {
            "task": task_name(task),
            "split": str(Split(split).label),
            "counts": [cell.get(letter, 0) for letter in letters],
        }
        for task, split, cell in cells
    ]
    return {"letters": letters, "rows": rows}


@dataclass(frozen=True, slots=True)
class CountRow:
    """The number of items of a task in each split."""

    task: str
    of_split: Mapping[str, int]

    @property
    def all(self) -> int:
        """The number of items in all splits."""
        return sum(self.of_split.values())


def splits_of(counted: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str]]:
    """Return (code, name) of each split in counts by task or genre, in order."""
    found = splits_among(split for cell in counted.values() for split in cell)
    return [(split, str(Split(split).label)) for split in found]


def in_splits(rows: Sequence[CountRow]) -> str:
    """Return the number of items in each split as one line of text."""
    found = {split: sum(row.of_split.get(split, 0) for row in rows) for split in SPLITS}
    words = (
        _("train %(train)d, dev %(dev)d, test %(test)d") if found[TRAIN] else _("dev %(dev)d, test %(test)d")
    )
    return words % found


def count_rows(release: Release) -> list[CountRow]:
    """Return the number of items of a release by task and split, as rows."""
    counted: Mapping[str, Mapping[str, int]] = release.manifest.get("counts", {})
    splits = [split for split, _name in splits_of(counted)]  # the database returns them in another order
    return [
        CountRow(task_name(task), {split: counted[task].get(split, 0) for split in splits})
        for task in sorted(counted)
    ]


def other_formats(release: Release) -> list[dict[str, object]]:
    """Return the formats of other tools that can contain items of the release, ordered by label."""
    language = get_language() or "en"
    joined = _(", ")
    return [
        {
            "code": one.code,
            "label": one.label_in(language),
            "written": written,
            "lacks": joined.join(_(WORDS[name]) for name in LOSABLE if name not in one.writer.holds),
        }
        for one in sorted(foreign_formats(), key=lambda one: one.label_in(language))
        if one.writer is not None and (written := count_written(release, one.writer))
    ]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a card's text, displayed as code or as prose."""

    text: str
    is_code: bool


@dataclass(frozen=True, slots=True)
class CardBlock:
    """A block of the card with its texts split into code and prose."""

    kind: str
    level: int
    text: list[TextPart]
    lines: list[list[TextPart]]
    rows: list[list[list[TextPart]]]


def card_blocks(blocks: Sequence[Block]) -> list[CardBlock]:
    """Return the blocks of the card in the form that the template renders."""
    return [
        CardBlock(
            block.kind,
            block.level,
            _text_parts(block.text),
            [_text_parts(line) for line in block.lines],
            [[_text_parts(cell) for cell in row] for row in block.rows],
        )
        for block in blocks
    ]


def _text_parts(text: str) -> list[TextPart]:
    return [TextPart(part, index % 2 == 1) for index, part in enumerate(text.split("`")) if part]


def errata_lines(release: Release) -> list[dict[str, object]]:
    """Return a row for each item that has changed since the extended release."""
    words = {
        "mended": _("fixed"),
        "retired": _("retired"),
        "held_back": _("excluded"),
        "returned": _("restored"),
    }
    lines = release.manifest.get("since", {}).get("errata", [])
    return [
        {
            "id": line["id"],
            "change": words[line["change"]],
            "fields": ", ".join(line["fields"]),
            "note": line["note"],
        }
        for line in lines
        if line["version"] == release.version
    ]


def totals(upload: Upload) -> list[tuple[str, str]]:
    """Return (task name, result as text) for each task of an upload."""
    return [(task_name(task), _total(total)) for task, total in upload.totals.items()]


def _total(total: Mapping[str, Any]) -> str:
    # the oldest uploads have no `is_better`
    words = (
        _("%(accuracy)s %% of %(n)d, in steps of %(step)s %%")
        if total.get("is_better", True)
        else _("not better by a step of %(step)s %%: the best so far stays %(accuracy)s %% of %(n)d")
    )
    figures = {name: f"{100 * total[name]:.1f}" for name in ("accuracy", "step")}
    return words % {**figures, "n": total["n"]}
