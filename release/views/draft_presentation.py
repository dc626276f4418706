"""View models for the pages of a draft of a release."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.kinds import task_name
from jobs.models import Job
from parable import charts
from parable.charts import Chart
from parable.quality.gates import ERROR, GATES
from release.assembly.recipe import Recipe
from release.models import DraftFinding, DraftOverride, ReleaseDraft, Split
from release.options import CONTENTS, SETTINGS, fields_of
from release.queries.draft import (
    EXCLUDED,
    HELD,
    NEW,
    RETIRED,
    REWORDED,
    UNVERIFIED,
    Contents,
    Excluded,
)
from release.views import plots
from release.views.presentation import STATES, TONES, GateView, gate_view, state_words

STEPS: Final = ("contents", "gates", "settings", "build")
LOOKS: Final = {
    "fails": ("wrong", "wrong"),
    "overridden": ("careful", "careful"),
    "warning": ("careful", "careful"),
    "checking": ("", "clock"),
    "passes": ("good", "check"),
    "": ("", "more"),
}
"""The tone and the icon of a row, by its state."""
ORDER: Final = ("fails", "overridden", "warning", "checking", "passes", "")


def row_id(gate: str, task: str) -> str:
    """Return the HTML id of a gate's row."""
    return f"gate-{gate}-{task}" if task else f"gate-{gate}"


@dataclass(frozen=True, slots=True)
class Effect:
    """The result that a gate would have if the items that it proposes were excluded."""

    figure: str
    verdict: str
    tone: str
    chart: Chart | None


@dataclass(frozen=True, slots=True)
class GateRow:
    """A row of the page: the finding of a gate for a task, with possible actions and actions taken."""

    gate: str
    task: str
    shown: GateView
    state: str
    verdict: str
    tone: str
    icon: str
    behind: int
    proposed: int
    effect: Effect | None
    override: DraftOverride | None
    excluded: Excluded | None

    @property
    def id(self) -> str:
        """The HTML id of the row."""
        return row_id(self.gate, self.task)

    @property
    def query(self) -> str:
        """The query string that identifies the row in URLs."""
        return f"gate={self.gate}&task={self.task}"

    @property
    def is_raised(self) -> bool:
        """Whether the finding requires an action, or an action has been taken on it."""
        return self.state in {"fails", "overridden"} or self.excluded is not None or self.is_override_idle

    @property
    def applies(self) -> bool:
        """Whether the gate applies to these items, or its finding requires an action."""
        return bool(self.state) or self.shown.applies or self.is_raised

    @property
    def is_override_idle(self) -> bool:
        """Whether the gate is overridden although it would not stop the build."""
        return self.override is not None and self.state not in {"overridden", "checking"}

    @property
    def fails(self) -> bool:
        """Whether the gate stops the build."""
        return self.state == "fails"

    @property
    def why_no_remedy(self) -> str:
        """Why no items can be excluded or returned for the finding; "" if some can, or if the gate passes."""
        if self.proposed or self.state not in {"fails", "warning"}:
            return ""
        if not GATES[self.gate].has_remedy:
            return _("Leaving items out does not help: the build draws the splits and places the keys anew.")
        if self.behind:
            return _("Every item is behind this finding: without them nothing would be left to release.")
        return _("This finding is about the set as a whole and names no items.")


def gate_rows(
    draft: ReleaseDraft,
    findings: Sequence[DraftFinding],
    overrides: Mapping[str, DraftOverride],
    excluded: Mapping[tuple[str, str], Excluded],
) -> list[GateRow]:
    """Return a row for each finding. The gates that stop the build come first."""
    rows = []
    for one in findings:
        override = overrides.get(one.gate)
        state = _state(draft, one, override)
        tone, icon = LOOKS[state]
        view = gate_view(one.answer, one.detail, project=draft.project, said=state_words(state))
        rows.append(
            GateRow(
                gate=one.gate,
                task=one.task,
                shown=view,
                state=state,
                verdict=view.verdict,
                tone=tone,
                icon=icon,
                behind=vars(one)["behind"],
                proposed=vars(one)["proposed"],
                effect=_effect(one),
                override=override,
                excluded=excluded.get((one.gate, one.task)),
            )
        )
    return sorted(rows, key=lambda row: ORDER.index(row.state))


def overridden(overrides: Iterable[DraftOverride], rows: Sequence[GateRow]) -> list[dict[str, object]]:
    """Return the overridden gates as rows; `is_idle` is whether the gate would pass without the override.

    It is False during a check.
    """
    return [
        {
            "override": one,
            "name": _(GATES[one.gate].name),
            "is_idle": not states & {"overridden", "checking"},
            "has_row": bool(states),
        }
        for one in overrides
        for states in [{row.state for row in rows if row.gate == one.gate}]
    ]


def _state(draft: ReleaseDraft, one: DraftFinding, override: DraftOverride | None) -> str:
    if not one.is_settled or one.check_number != draft.checks:
        return "checking"
    if one.answer["verdict"] == ERROR:
        return "overridden" if override else "fails"
    if one.detail.get("stands_out"):
        return "warning"
    return STATES[one.answer["verdict"]]


def _effect(one: DraftFinding) -> Effect | None:
    said = one.without
    if said is None:
        return None
    figure = plots.figure(said, {})
    at, low, high, chance = (
        None if said[name] is None else 100 * said[name] for name in ("figure", "low", "high", "chance")
    )
    tone = TONES[said["verdict"]]
    chart = None
    if low is not None:
        chart = charts.interval(figure, at=at, low=low, high=high, chance=chance, tone=tone)
    return Effect(figure, state_words(STATES[said["verdict"]]), tone, chart)


@dataclass(frozen=True, slots=True)
class Step:
    """A step in the pages of a draft, with its state."""

    name: str
    title: str
    note: str
    url: str
    number: int
    is_done: bool
    is_wrong: bool = False


def steps(
    draft: ReleaseDraft,
    held: Contents,
    rows: Sequence[GateRow],
    problems: Mapping[str, str],
    *,
    checked: bool,
    is_running: bool,
) -> list[Step]:
    """Return the four steps, each with a note on its state."""
    of_contents = len(problems.keys() & set(fields_of(CONTENTS)))
    wrong = {CONTENTS: of_contents, SETTINGS: len(problems) - of_contents}
    failing = sum(row.fails for row in rows)
    notes = {
        "contents": ngettext("%(n)d verified item", "%(n)d verified items", held.items) % {"n": held.items},
        "gates": _gates_note(rows, failing, checked=checked, is_running=is_running),
        "settings": _settings_note(draft),
        "build": _("Ready to build") if checked and not failing and not problems else _("After gates pass"),
    }
    notes |= {
        name: ngettext("%(n)d field to correct", "%(n)d fields to correct", n) % {"n": n}
        for name, n in wrong.items()
        if n
    }
    done = {
        "contents": not wrong["contents"],
        "gates": checked and not failing,
        "settings": not wrong["settings"],
        "build": draft.release is not None and not draft.is_open,
    }
    titles = {
        "contents": pgettext("step of a release", "Contents"),
        "gates": _("Gates"),
        "settings": _("Settings"),
        "build": pgettext("step of a release", "Build"),
    }
    return [
        Step(
            name,
            titles[name],
            notes[name],
            reverse(f"release:draft_{name}", args=[draft.project.slug, draft.pk]),
            number,
            done[name],
            is_wrong=bool(wrong.get(name)) or (name == "gates" and failing > 0),
        )
        for number, name in enumerate(STEPS, start=1)
    ]


def _gates_note(rows: Sequence[GateRow], failing: int, *, checked: bool, is_running: bool) -> str:
    if is_running:
        return _("Checking")
    if failing:
        return _("%(n)d of %(all)d fail") % {"n": failing, "all": len(rows)}
    if checked and not rows:
        return _("No items")
    if not checked:
        return _("Check again")
    overridden = sum(row.state == "overridden" for row in rows)
    if overridden:
        return ngettext("%(n)d overridden", "%(n)d overridden", overridden) % {"n": overridden}
    return _("None fails")


def _settings_note(draft: ReleaseDraft) -> str:
    rules = {"story": _("Split by story"), "mixed": _("Split: mixed"), "seen": _("Split within stories")}
    how = rules.get(draft.wishes["split"]) or _("Split by item")
    if draft.wishes["withhold_test"]:
        return _("%(how)s, test withheld") % {"how": how}
    return _("%(how)s, seed %(seed)s") % {"how": how, "seed": draft.wishes["seed"]}


@dataclass(frozen=True, slots=True)
class TaskCount:
    """The number of items of a task in a draft, in total and by split.

    The numbers by split are None unless the splits were drawn for the current items.
    """

    name: str
    splits: Sequence[int | None]
    items: int


def task_counts(draft: ReleaseDraft, held: Contents) -> list[TaskCount]:
    """Return the items by task and split, with a row of totals.

    The numbers by split are None unless the splits were drawn for exactly these items.
    """
    drawn: Mapping[str, Mapping[str, int]] = draft.counts
    is_drawn = {task: sum(cell.values()) for task, cell in drawn.items()} == dict(held.tasks)
    splits = Recipe.from_json(draft.recipe).splits
    found = {task: [drawn[task].get(split) if is_drawn else None for split in splits] for task in held.tasks}
    rows = [TaskCount(task_name(task), found[task], n) for task, n in sorted(held.tasks.items())]
    if len(rows) < 2:
        return rows
    sums = [
        None if None in column else sum(n or 0 for n in column)
        for column in zip(*found.values(), strict=True)
    ]
    return [*rows, TaskCount(_("All"), sums, held.items)]


def genre_counts(draft: ReleaseDraft) -> list[TaskCount]:
    """Return the number of stories by genre and split, as last assigned; [] if no story has a genre."""
    splits = Recipe.from_json(draft.recipe).splits
    return [
        TaskCount(genre or _("not stated"), [cell.get(split) for split in splits], sum(cell.values()))
        for genre, cell in draft.genres.items()
    ]


def planned(draft: ReleaseDraft) -> str:
    """Return the planned shares of three splits and their sum as text, or "" without a train split."""
    recipe = Recipe.from_json(draft.recipe)
    if not recipe.train_share:
        return ""
    parts = [f"{Split(split).label} {float(share):g}" for split, share in recipe.planned.items()]
    return _("%(shares)s, together %(sum)s") % {
        "shares": " + ".join(parts),
        "sum": f"{float(sum(recipe.planned.values())):g}",
    }


def list_name(which: str, since: str) -> str:
    """Return the displayed name of a draft's list. `since` is the version that the draft is compared with."""
    return {
        NEW: _("New since %(version)s") % {"version": since},
        REWORDED: pgettext("items", "Reworded"),
        RETIRED: pgettext("items", "Retired"),
        EXCLUDED: _("Excluded here"),
        UNVERIFIED: _("Not yet verified"),
        HELD: _("In this release"),
    }[which]


def list_rows(draft: ReleaseDraft, held: Contents) -> list[dict[str, object]]:
    """Return the name, size and URL of each list of items in a draft."""
    page = reverse("release:draft_items", args=[draft.project.slug, draft.pk])
    return [
        {"name": list_name(which, held.since), "n": n, "url": f"{page}?which={which}"}
        for which, n in held.lists.items()
    ]


def stamp(draft: ReleaseDraft, work: Job | None) -> str:
    """Return a string that changes when the page of a running check has new content."""
    if work is None:
        return f"{draft.checks}"
    return f"{draft.checks}.{work.pk}.{work.state}.{work.done}.{work.is_silent:d}"
