"""View models for the page of the gates for unreleased items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from accounts.models import User
from annotation.kinds import task_name
from annotation.models import Style
from parable import charts
from parable.charts import Chart
from parable.kinds import codes
from parable.quality.gates import ERROR, GATES, NOT_APPLICABLE, OK, WARNING
from parable.quality.gates.base import ALL, STYLE, WRITER
from projects.models import Language, Project
from release.check_tally import CheckTally, check_tally
from release.views import plots
from release.views.presentation import STATES, TONES, GateView, gate_view, state_words

LANGUAGES: Final = {Language.ZH: "zh-Hans", Language.EN: "en"}
COLUMNS: Final = tuple(gate.id for gate in GATES.values() if WRITER in gate.parts)
GRAVITY: Final = (ERROR, WARNING, "stands_out", OK, NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class Cell:
    """A gate's result as text, with a chart of its interval; empty if the gate checked no items."""

    figure: str = ""
    chart: Chart | None = None
    tone: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """The results of the gates for one style or writer in one task."""

    name: str
    task: str
    items: int
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Telling:
    """A style or writer whose items need attention, with the gates that warn or fail."""

    name: str
    gates: Sequence[GateView]


@dataclass(frozen=True, slots=True)
class GateTable:
    """The results of a check: for all items, by style and by writer.

    `telling`: the styles and writers that need attention. `idle`: the gates that do not apply to these items.
    """

    items: int
    gates: Sequence[GateView]
    idle: Sequence[GateView]
    columns: Sequence[str]
    styles: Sequence[Row]
    writers: Sequence[Row]
    telling: Sequence[Telling]
    alarms: int
    tally: CheckTally


def gate_table(project: Project, findings: Mapping[str, Any]) -> GateTable:
    """Return the view model of a check's results, in the current language."""
    parts: Sequence[Mapping[str, Any]] = findings.get("parts", ())
    writers = {part["user"] for part in parts if part["kind"] == WRITER}
    people = {(WRITER, user.pk): str(user) for user in User.objects.filter(pk__in=writers)}
    names = people | {(STYLE, code): str(name) for code, name in Style.choices}
    of_all = [_gate(project, one) for part in parts if part["kind"] == ALL for one in part["answers"]]
    order = ["wrong", "careful", "good", ""]
    return GateTable(
        items=findings.get("items", 0),
        gates=sorted((one for one in of_all if one.applies), key=lambda gate: order.index(gate.tone)),
        idle=[one for one in of_all if not one.applies],
        columns=[_(GATES[gate].name) for gate in COLUMNS],
        styles=_rows(parts, STYLE, names),
        writers=_rows(parts, WRITER, names),
        telling=[
            one for part in parts if part["kind"] != ALL and (one := _telling(project, part, names)).gates
        ],
        alarms=sum(gate.tone == "wrong" for gate in of_all),
        tally=check_tally(findings),
    )


Names = Mapping[tuple[str, Any], str]


def _name(part: Mapping[str, Any], names: Names) -> str:
    return names.get((part["kind"], part["user"] or part["style"]), "")


def _rows(parts: Sequence[Mapping[str, Any]], kind: str, names: Names) -> list[Row]:
    """Return a row for each style or writer and each task, most serious first."""
    found = []
    for part in parts:
        if part["kind"] != kind:
            continue
        for task in codes():
            answers = {one["id"]: one for one in part["answers"] if one["task"] == task}
            if answers:
                gravity = min(GRAVITY.index(_weight(one)) for one in answers.values())
                items = max(one["looked_at"] for one in answers.values())
                cells = [_cell(answers.get(gate)) for gate in COLUMNS]
                found.append((gravity, Row(_name(part, names), task_name(task), items, cells)))
    return [row for _gravity, row in sorted(found, key=lambda pair: (pair[0], pair[1].name, pair[1].task))]


def _weight(answer: Mapping[str, Any]) -> str:
    return "stands_out" if answer["stands_out"] else str(answer["verdict"])


def _cell(answer: Mapping[str, Any] | None) -> Cell:
    if answer is None or answer["low"] is None:
        return Cell()
    at, low, high, threshold = (_percent(answer[name]) for name in ("figure", "low", "high", "threshold"))
    chance = _percent(answer["detail"].get("chance"))
    said = plots.figure(answer, answer["detail"])
    tone = "careful" if answer["stands_out"] else TONES[answer["verdict"]]
    return Cell(
        figure=said,
        chart=charts.interval(said, at=at, low=low, high=high, chance=chance, threshold=threshold, tone=tone),
        tone=tone,
        note=_said(answer) if _weight(answer) in {ERROR, WARNING, "stands_out"} else "",
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 1)


def _said(answer: Mapping[str, Any]) -> str:
    return state_words("warning" if answer["stands_out"] else STATES[answer["verdict"]])


def _gate(project: Project, answer: Mapping[str, Any]) -> GateView:
    detail = {**answer["detail"], **{name: answer[name] for name in ("offenders", "named", "looked_at")}}
    detail["stands_out"] = answer["stands_out"]
    return gate_view(answer, detail, project=project, said=_said(answer))


def _telling(project: Project, part: Mapping[str, Any], names: Names) -> Telling:
    chosen = [one for one in part["answers"] if _weight(one) in {ERROR, WARNING, "stands_out"}]
    return Telling(_name(part, names), [_gate(project, one) for one in chosen])
