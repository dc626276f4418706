"""View models of the page of a check of files: what was found, worst first, in the current language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.kinds import task_name
from parable import charts
from parable.charts import Chart
from parable.commands.pictures import length_plot, position_plot
from parable.formats.errors import ErrorCode, RowError, error_message
from parable.formats.items import FORMATS
from parable.formats.options import letter
from parable.quality.finding import ERROR, WARNING, BaseCheck
from parable.quality.gates import GATES, GateResult
from parable.quality.item import CHECKS
from parable.quality.kinds import CHECKS as KIND_CHECKS
from parable.quality.ranking import (
    CHECK,
    HINT,
    NO_KEYS,
    NO_SHORTCUT,
    SHORTCUT,
    TOO_FEW,
    idle,
    is_early,
    is_shortcut,
    passed,
)
from web.numbers import percent

WORDS: Final = {ERROR: gettext_lazy("serious"), WARNING: gettext_lazy("to fix")}
"""How bad a finding is, by its severity."""
_KNOWN: Final[Mapping[str, BaseCheck]] = {**KIND_CHECKS, **CHECKS}
MOST_SHOWN: Final = 3
MOST_NAMED: Final = 12
"""The most items of a finding that the page shows, and names."""
_STEP: Final = 0.1
"""The axis of the charts begins and ends at a multiple of this share."""


@dataclass(frozen=True, slots=True)
class ItemExample:
    """An item behind a finding, with its key."""

    name: str
    title: str
    stem: str
    lang: str
    options: Sequence[tuple[str, str, bool]]


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as text, with the chart of its figure or the number of its items."""

    title: str
    tone: str
    verdict: str
    said: str
    why: str
    fix: str
    facts: Sequence[str]
    figure: str
    interval: str
    chart: Chart | None
    count: int
    shown: Sequence[ItemExample]
    named: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class FindingsView:
    """The findings of a check.

    `passed` and `idle` are pairs of a gate's name and its figure, or why it does not apply. `lost` and
    `remarks` say what was not read, and how the rest was.
    """

    answer: str
    tone: str
    sum: Sequence[str]
    findings: Sequence[FindingView]
    passed: Sequence[tuple[str, str]]
    idle: Sequence[tuple[str, str]]
    lost: Sequence[str]
    remarks: Sequence[str]
    lost_rows: int
    plots: Sequence[Chart]
    axis: str


def remarks_view(found: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return sentences on what could not be read, and on how the rest was read."""
    several = len({one["file"] for one in (*found["errors"], *found["remarks"])}) > 1

    def sentence_of(one: Mapping[str, Any]) -> str:
        error = RowError(
            **{
                **one,
                "code": ErrorCode(one["code"]),
                "rows": tuple(one["rows"]),
                "items": tuple(one["items"]),
            }
        )
        about = {
            "file": one["file"],
            "row": one["row"],
            "field": one["field"],
            "message": error_message(error, _),
        }
        if one["field"] == "file":
            return _("%(file)s: %(message)s") % about if several else str(about["message"])
        if several:
            return _("%(file)s, row %(row)s, %(field)s: %(message)s") % about
        return _("Row %(row)s, %(field)s: %(message)s") % about

    return list(map(sentence_of, found["errors"])), list(map(sentence_of, found["remarks"]))


def formats_view(found: Mapping[str, Any], language: str) -> str:
    """Return the names of the formats of the files."""
    return ", ".join(FORMATS[code].label_in(language) for code in found["formats"] if code in FORMATS)


def findings_view(found: Mapping[str, Any], language: str) -> FindingsView:
    """Return the view model of the findings that a worker has stored."""
    results = [_result(one) for one in found["results"]]
    tasks = found["keyed"]
    listed = [one for one in results if one.task is None or one.task in tasks]
    axis = _Axis.of([one for one in listed if is_shortcut(one) or is_early(one)])
    several = len(tasks) > 1
    lost, remarks = remarks_view(found)
    return FindingsView(
        answer=_answer(found),
        tone={SHORTCUT: "wrong", HINT: "careful", NO_SHORTCUT: "good"}.get(found["answer"]["code"], ""),
        sum=_sum(found, results, len(passed(listed))),
        findings=[_finding(one, found, results, axis, several=several) for one in found["ranked"]],
        passed=[(_name(one, several=several), _figure(one)) for one in passed(listed)],
        idle=[(_name(one, several=several), _why_idle(one)) for one in idle(listed)],
        lost=lost,
        remarks=remarks,
        lost_rows=found["lost"],
        plots=[plot for plot in (position_plot(listed, language), length_plot(listed, language)) if plot],
        axis=axis.words(),
    )


def _result(one: Mapping[str, Any]) -> GateResult:
    return GateResult(**{**one, "items": tuple(one["items"])})


def _answer(found: Mapping[str, Any]) -> str:
    """Return in a sentence whether the set can be cheated."""
    answer = found["answer"]
    n, code = answer["ways"], answer["code"]
    if code == NO_KEYS:
        return _("No item has a key, so nothing can be said about shortcuts.")
    if code == TOO_FEW:
        return ngettext(
            "Too few items to assess the set as a whole: %(n)d has a key, 100 are needed.",
            "Too few items to assess the set as a whole: %(n)d have a key, 100 are needed.",
            answer["keyed"],
        ) % {"n": answer["keyed"]}
    if found["has_stories"]:
        sentences = {
            SHORTCUT: ngettext(
                "Not ready: there is %(n)d way to score without understanding a story.",
                "Not ready: there are %(n)d ways to score without understanding a story.",
                n,
            ),
            HINT: ngettext(
                "Nearly ready: %(n)d rule scores a little without understanding a story.",
                "Nearly ready: %(n)d rules score a little without understanding a story.",
                n,
            ),
            NO_SHORTCUT: _("No way was found to score without understanding a story."),
        }
    else:
        sentences = {
            SHORTCUT: ngettext(
                "Not ready: there is %(n)d way to score without understanding a question.",
                "Not ready: there are %(n)d ways to score without understanding a question.",
                n,
            ),
            HINT: ngettext(
                "Nearly ready: %(n)d rule scores a little without understanding a question.",
                "Nearly ready: %(n)d rules score a little without understanding a question.",
                n,
            ),
            NO_SHORTCUT: _("No way was found to score without understanding a question."),
        }
    return sentences[code] % {"n": n}


def _sum(found: Mapping[str, Any], results: Sequence[GateResult], n_passed: int) -> list[str]:
    # a rule is one finding about the whole set; the items that it names are examples
    n = sum(1 if _is_rule(one, results) else one["count"] for one in found["ranked"])
    said = [_("Findings: %(n)d, of different kinds: %(kinds)d.") % {"n": n, "kinds": len(found["ranked"])}]
    strongest = found["answer"]["strongest"]
    if strongest >= 0:
        said.append(_rule(results[strongest]))
    if n_passed:
        said.append(
            ngettext("%(n)d check of the set passes.", "%(n)d checks of the set pass.", n_passed)
            % {"n": n_passed}
        )
    if found["looked_at"] < found["items"]:
        said.append(_("Single items were checked in a sample of %(n)d.") % {"n": found["looked_at"]})
    return said


def _is_rule(one: Mapping[str, Any], results: Sequence[GateResult]) -> bool:
    return one["place"] >= 0 and (is_shortcut(results[one["place"]]) or is_early(results[one["place"]]))


def _rule(result: GateResult) -> str:
    """Return what a rule scores, and what guessing scores."""
    rule = GATES[result.id].rule_words(str(result.detail.get("rule", "")), _)
    about = {
        "rule": rule,
        "name": _(GATES[result.id].name),
        "figure": percent(float(result.figure or 0)),
        "chance": percent(float(result.detail.get("chance", 0))),
    }
    if rule:
        return _("Always choosing %(rule)s scores %(figure)s; by chance it would be %(chance)s.") % about
    return _("%(name)s: %(figure)s; by chance it would be %(chance)s.") % about


def _finding(
    one: Mapping[str, Any],
    found: Mapping[str, Any],
    results: Sequence[GateResult],
    axis: "_Axis",
    *,
    several: bool,
) -> FindingView:
    tone = "wrong" if one["severity"] == ERROR else "careful"
    verdict = str(WORDS[one["severity"]])
    shown = [name for name in one["items"][:MOST_NAMED] if name in found["shown"]][:MOST_SHOWN]
    items = {
        "count": one["count"],
        "shown": [_shown(name, found["shown"][name]) for name in shown],
        "named": [name for name in one["items"][:MOST_NAMED] if name not in shown],
        "more": max(0, one["count"] - MOST_NAMED),
    }
    if one["source"] == CHECK:
        check = _KNOWN[one["id"]]
        return FindingView(
            title=_(check.name),
            tone=tone,
            verdict=verdict,
            said="",
            why=_(check.why),
            fix=_(check.fix) if check.fix else "",
            facts=(),
            figure="",
            interval="",
            chart=None,
            **items,
        )
    result = results[one["place"]]
    gate = GATES[result.id]
    is_rule = _is_rule(one, results)
    rules = gate.rules_found(result.detail, _)
    facts = [*(rules if len(rules) > 1 else ()), *gate.facts(result.detail, _)]
    return FindingView(
        title=_name(result, several=several),
        tone=tone,
        verdict=verdict,
        said=_rule(result) if is_rule else _(gate.looks_at),
        why=_(gate.why),
        fix=_(gate.fix),
        facts=facts,
        figure=_point(result),
        interval=_interval(result),
        chart=axis.chart(result, tone) if is_rule else None,
        **items,
    )


def _name(result: GateResult, *, several: bool) -> str:
    name = _(GATES[result.id].name)
    if not (several and result.task):
        return name
    return _("%(gate)s, %(task)s") % {"gate": name, "task": task_name(result.task)}


def _point(result: GateResult) -> str:
    if result.figure is None:
        return ""
    if result.low is not None or isinstance(result.figure, float):
        return percent(float(result.figure))
    return ngettext(*GATES[result.id].unit, result.figure) % {"n": result.figure}


def _interval(result: GateResult) -> str:
    if result.low is None or result.high is None:
        return ""
    return f"[{percent(result.low)}, {percent(result.high)}]"


def _figure(result: GateResult) -> str:
    return " ".join(filter(None, (_point(result), _interval(result))))


def _why_idle(result: GateResult) -> str:
    return " ".join(filter(None, (_(GATES[result.id].needs), _figure(result))))


def _shown(name: str, item: Mapping[str, Any]) -> ItemExample:
    options = [(letter(place), text, is_key) for place, (text, is_key) in enumerate(item["options"])]
    return ItemExample(name, item["title"], item["stem"], item["language"], options)


def row_lines(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield item, finding and verdict for each item of each finding, as the command `audit` names them."""
    for gate in found["gates"]:
        if gate["verdict"] in WORDS:
            for item in gate["items"]:
                yield item, _(GATES[gate["id"]].name), str(WORDS[gate["verdict"]])
    for check, items in found["item_checks"].items():
        for item in items:
            yield item, _(_KNOWN[check].name), str(WORDS[_KNOWN[check].severity])


@dataclass(frozen=True, slots=True)
class _Axis:
    """The axis that all charts of a page share."""

    low: float
    high: float

    @classmethod
    def of(cls, results: Sequence[GateResult]) -> "_Axis":
        """Return the axis that holds the intervals and chance levels of these results."""
        shares = [
            float(share)
            for one in results
            for share in (one.low, one.high, one.threshold, one.detail.get("chance"))
            if share is not None
        ]
        if not shares:
            return cls(0.0, 1.0)
        return cls(max(0.0, min(shares) // _STEP * _STEP), min(1.0, max(shares) // _STEP * _STEP + _STEP))

    def chart(self, result: GateResult, tone: str) -> Chart:
        """Return the chart of a result."""
        at, low, high, chance, threshold = (
            None if share is None else 100 * (float(share) - self.low) / (self.high - self.low)
            for share in (
                result.figure,
                result.low,
                result.high,
                result.detail.get("chance"),
                result.threshold,
            )
        )
        caption = _figure(result)
        return charts.interval(
            caption, at=at, low=low, high=high, chance=chance, threshold=threshold, tone=tone
        )

    def words(self) -> str:
        """Return what the charts show."""
        about = {"low": percent(self.low, 0), "high": percent(self.high, 0)}
        return _("Axis %(low)s to %(high)s. Dashed: chance. Stroke: where a warning begins.") % about
