"""Page Today of a project: what needs a manager, where items wait, what is blocked, and the pace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from accounts.models import User
from annotation.models import State
from dashboard.forecast import PACE_DAYS
from dashboard.queries.inbox import SHOWS_AGE, day
from dashboard.queries.item_list import ANY_STAGE
from dashboard.queries.overview import BUDGET_LEFT, TYPE
from dashboard.queries.pace import REVIEWED, SUBMITTED, VERIFIED
from dashboard.queries.today import (
    AGREEMENT_BAND,
    MOST_PEOPLE,
    PersonWork,
    StageCount,
    Today,
    today_of,
)
from dashboard.tasks import order_recount
from dashboard.views import figures
from dashboard.views.begin import beginning
from dashboard.views.item_links import ItemLinks
from jobs.errors import sentence
from jobs.queries import address_of
from parable import charts
from parable.charts import Chart, Scale
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission, permissions_of
from release.check_tally import CheckTally, check_tally
from review.models import Stage
from review.queries.request import STATE_OF
from review.rater_signs import RaterRecord, RaterSign
from web import numbers
from web.requests import MemberRequest

MOST_NEEDS: Final = 5
PARTS: Final = {
    State.VERIFIED: "part n3",
    State.IN_ADJUDICATION: "part ambiguous",
    State.IN_VERIFICATION: "part",
    State.IN_REVIEW: "part n2",
    State.RETURNED: "part n1",
    "": "part failed",
}
"""How the bar of all items draws each of its parts."""


@dataclass(frozen=True, slots=True)
class Need:
    """Something that needs a manager: how many, what to do, why, and a button.

    The number leads to what it counts, the button to the next step. `stops` is why no release can be built.
    """

    kind: str
    n: int
    url: str
    title: str
    why: str
    action: str
    do: str
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Blockage:
    """Work that nobody can go on with, why, and the one step that frees it."""

    n: int
    url: str
    what: str
    why: str
    action: str
    step: str


@dataclass(frozen=True, slots=True)
class StageRow:
    """A row of the table of stages, and its part of the bar above; `x` and `width` are per cent."""

    name: str
    url: str
    found: StageCount
    oldest: str
    blocked_url: str
    part: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A row of the table of people."""

    work: PersonWork
    url: str
    spark: Chart
    done: Sequence[tuple[str, str]]
    seconds: str
    right: str
    answers_url: str
    interval: Chart | None
    remarks: str


@project_page(Permission.SEE_PROJECT)
@require_GET
def show(request: MemberRequest, project: Project) -> HttpResponse:
    """Show what a manager of the project should know and do today."""
    found = today_of(project, request.user, renew=partial(order_recount, project, {}, TYPE))
    tally = check_tally(found.check.findings) if found.check and found.check.checked_at else None
    links, stuck = ItemLinks(project), _stuck(found)
    every = [need for need in _needs(found, tally, stuck, links) if need.n]
    needs = every[:MOST_NEEDS]
    people = found.people
    context = {
        "project": project,
        "today": found,
        "day": day(timezone.localdate()),
        "lead": _lead(found),
        "needs": needs,
        "later": every[MOST_NEEDS:],
        "stuck": stuck,
        "stages": _stage_rows(found, links),
        "people": [_person_row(one, found, links) for one in people[:MOST_PEOPLE]],
        "more_people": len(people[MOST_PEOPLE:]),
        "verified_url": links.to(state=State.VERIFIED),
        "lately_url": links.to(done=VERIFIED, since=str(found.counts.done.days[-2])),
        "burn_up": _burn_up(found),
        "weeks": _weeks(found, links),
        "pace": figures.forecast_words(found.outlook),
        "agreement": _agreement(found),
        "tally": tally,
        "can_adjudicate": Permission.ADJUDICATE in permissions_of(request.user, project),
        **beginning(request, request.user, project),
    }
    return render(request, "dashboard/today.html", context)


@project_page(Permission.SEE_PROJECT)
@require_GET
def from_overview(request: MemberRequest, project: Project) -> HttpResponse:
    """Lead the address of the former overview on: to its tables if it has filters, else to Today."""
    query = request.GET.urlencode()
    if not query:
        return redirect("dashboard:today", project.slug, permanent=True)
    return redirect(f"{reverse('dashboard:overview', args=[project.slug])}?{query}", permanent=True)


def _page(found: Today, name: str, *about: object) -> str:
    return reverse(name, args=[found.project.slug, *about])


def _lead(found: Today) -> str:
    """Return the forecast of the heading: the day when all is verified, or why there is none."""
    ends = found.outlook.expected()
    if ends is None:
        return figures.forecast_words(found.outlook)
    text = _("At the pace of the last %(n)s days, the rest is done on %(day)s.")
    return text % {"n": PACE_DAYS, "day": date_format(ends, "MONTH_DAY_FORMAT")}


# --- what needs a manager ---


def _needs(found: Today, tally: CheckTally | None, stuck: Sequence[Blockage], links: ItemLinks) -> list[Need]:
    """Return all that may need a manager, most urgent first; those with the number 0 do not apply."""
    return [
        *_to_set_up(found),
        _to_decide(found, links),
        *_to_fix(found, tally),
        Need(
            "unblock", len(stuck), "#blocked", _("Unblock"),
            _(", ").join(f"{one.n} {one.what}" for one in stuck), _("See them"), "#blocked",
        ),
        Need(
            "answer", found.reports, _page(found, "release:reports"),
            ngettext("Answer an error report", "Answer error reports", found.reports),
            _("Readers of a release see whether a report has been answered."), _("Read"),
            _page(found, "release:reports"),
        ),
        *_to_look_at(found),
        Need(
            "remind", found.overdue, _page(found, "annotation:assignments"),
            ngettext(
                "Remind a writer: a story is overdue", "Remind writers: stories are overdue", found.overdue
            ),
            _(", ").join(str(one.writer) for one in found.writers if one.overdue),
            _("View"), _page(found, "annotation:assignments"),
        ),
        *_to_hurry(found, links),
        *_to_raise(found),
    ]  # fmt: skip


def _to_set_up(found: Today) -> Iterable[Need]:
    if not found.outlook.planned:
        url = _page(found, "corpus:import_stories")
        text = _("A project begins with its stories: JSONL, CSV or XLSX.")
        yield Need("stories", 1, url, _("Import stories"), text, _("Import"), url)
    elif not found.has_people:
        url = _page(found, "projects:invite")
        text = _("Enter their names and send each an invitation link.")
        yield Need("people", 1, url, _("Invite writers and reviewers"), text, _("Invite"), url)


def _to_decide(found: Today, links: ItemLinks) -> Need:
    oldest = next(one for one in found.counts.oldest if one.stage == Stage.ADJUDICATION)
    age = _age(oldest.since)
    return Need(
        "decide", found.counted[State.IN_ADJUDICATION], links.to(state=State.IN_ADJUDICATION),
        _("Decide: reviewers disagree"),
        _("The oldest has waited for %(time)s.") % {"time": age} if age else "",
        _("Decide next"),
        _page(found, "review:adjudicate"),
    )  # fmt: skip


def _to_fix(found: Today, tally: CheckTally | None) -> Iterable[Need]:
    if tally is None:
        return
    url = _page(found, "release:gates")
    if tally.findings:
        checks = _(", ").join(f"{name} {n}" for name, n in tally.checks[:3])
        why = f"{checks}{_('; ')}{tally.words}{_('.')}"
        do = _page(found, "dashboard:item", tally.first) if tally.first else url
        title = _("Fix: findings of the last check")
        yield Need("fix", tally.findings, url, title, why, _("Fix next"), do, stops=bool(tally.failing))
    elif tally.failing:
        title = _("Fix: tests of the whole set that fail")
        n = len(tally.failing)
        yield Need("fix", n, url, title, f"{tally.words}{_('.')}", _("See them"), url, stops=True)


def _to_look_at(found: Today) -> Iterable[Need]:
    careless = found.careless
    if not careless:
        return
    first = careless[0]
    url = _answers_of(found, first.person)
    if len(careless) == 1:
        title = _("Look at a reviewer: %(name)s") % {"name": first.person}
    else:
        title = _("Look at %(n)s reviewers, first %(name)s") % {"n": len(careless), "name": first.person}
    record = first.record
    why = f"{_(', ').join(_sign_words(record))}{_('.')}" if record else ""
    yield Need("look", len(careless), "#people", title, why, _("Look"), url)


def _to_hurry(found: Today, links: ItemLinks) -> Iterable[Need]:
    """Yield the stages of review whose oldest request has waited long; adjudication has its own row."""
    for one in found.counts.oldest:
        if one.has_waited_long and one.since and one.stage != Stage.ADJUDICATION:
            state = STATE_OF[Stage(one.stage)]
            url = links.to(state=state)
            title = _("Speed up: %(stage)s") % {"stage": Stage(one.stage).label}
            why = _("The oldest has waited for %(time)s.") % {"time": timesince(one.since, depth=1)}
            yield Need("hurry", found.counted[state], url, title, why, _("View items"), url)


def _to_raise(found: Today) -> Iterable[Need]:
    budget = found.budget
    if budget.limit and budget.left is not None and float(budget.left / budget.limit) < BUDGET_LEFT:
        url = _page(found, "generation:endpoints")
        why = _("Less than %(share)s %% of the model budget is left.") % {"share": round(100 * BUDGET_LEFT)}
        yield Need("raise", 1, url, _("Raise the budget, or stop jobs"), why, _("Change budget"), url)


# --- what is blocked ---


def _stuck(found: Today) -> list[Blockage]:
    links = ItemLinks(found.project)
    rows = [
        Blockage(
            n, links.to(blocked=stage.value), ngettext("item: %(stage)s", "items: %(stage)s", n)
            % {"stage": stage.label},
            _("No member has the role for it.") if stage in found.roleless
            else _("Everyone with the role wrote, answered or skipped the item."),
            _("Give someone the role") if stage in found.roleless else _("Appoint deputies"),
            _page(found, "dashboard:members") if stage in found.roleless
            else f"{_page(found, 'dashboard:overview')}#blocked",
        )
        for stage, n in found.blocked.items()
    ]  # fmt: skip
    rows += [
        Blockage(
            1, address_of(job) or _page(found, "jobs:list"), _("job: %(title)s") % {"title": job.title},
            sentence(job.reason) if job.reason else "", _("View job"),
            address_of(job) or _page(found, "jobs:list"),
        )
        for job in found.failed_jobs
    ]  # fmt: skip
    if n := found.undelivered:
        url = _page(found, "events:webhooks")
        why = _("The receiver failed for two days. Check it, then send the events again.")
        rows.append(
            Blockage(n, url, ngettext("event not delivered", "events not delivered", n), why, _("View"), url)
        )
    if n := found.expired:
        url = _page(found, "projects:invite")
        why = _("No one can join with a link that has expired.")
        what = ngettext("expired invitation", "expired invitations", n)
        rows.append(Blockage(n, url, what, why, _("Invite again"), url))
    return rows


# --- where items wait ---


def _stage_rows(found: Today, links: ItemLinks) -> list[StageRow]:
    rows, x, all_items = [], 0.0, max(found.total, 1)
    names = {"": _("To write")}
    for one in found.stages:
        width = 100 * one.items / all_items
        url = links.to(state=one.state) if one.state else _page(found, "annotation:assignments")
        stage = next((stage.value for stage, state in STATE_OF.items() if state == one.state), ANY_STAGE)
        name = names.get(one.state) or str(State(one.state).label)
        blocked_url = links.to(blocked=stage)
        part = PARTS[State(one.state) if one.state else ""]
        rows.append(
            StageRow(name, url, one, _age(one.since), blocked_url, part, round(x, 2), round(width, 2))
        )
        x += width
    return rows


def _age(since: datetime | None) -> str:
    """Return for how long the oldest has waited, or "" if that is not worth saying."""
    return timesince(since, depth=1) if since and timezone.now() - since >= SHOWS_AGE else ""


# --- people ---


def _answers_of(found: Today, person: User) -> str:
    return f"{_page(found, 'review:counted_items')}?figure=answered&reviewer={person.pk}"


def _sign_words(record: RaterRecord) -> list[str]:
    """Return what the signs in a reviewer's record say, in words."""
    seconds = figures.short_duration(record.seconds or 0)
    words = {
        RaterSign.CHANCE: _("right as often as chance (%(right)s of %(n)s)")
        % {"right": record.right, "n": record.answers},
        RaterSign.HASTY: _("%(time)s an answer") % {"time": seconds},
        RaterSign.SEVERE: _("rates lower than others on the same items"),
        RaterSign.LENIENT: _("rates higher than others on the same items"),
    }
    return [words[flag] for flag in record.signs]


def _person_row(one: PersonWork, found: Today, links: ItemLinks) -> PersonRow:
    record, since = one.record, str(found.counts.done.days[-7])
    names = {
        SUBMITTED: ngettext("%(n)s submitted", "%(n)s submitted", one.submitted) % {"n": one.submitted},
        REVIEWED: ngettext("%(n)s reviewed", "%(n)s reviewed", one.reviewed) % {"n": one.reviewed},
    }
    done = [
        (names[work], links.to(done=work, by=one.person.pk, since=since))
        for work, n in ((SUBMITTED, one.submitted), (REVIEWED, one.reviewed))
        if n
    ]
    remarks = _sign_words(record) if record else []
    if one.overdue:
        remarks.append(
            ngettext("%(n)s story overdue", "%(n)s stories overdue", one.overdue) % {"n": one.overdue}
        )
    answered = record is not None and record.answers > 0
    return PersonRow(
        work=one,
        url=_answers_of(found, one.person) if answered else links.to(writer=one.person.pk),
        spark=charts.columns(_("Work by day"), one.by_day),
        done=done,
        seconds=figures.short_duration(record.seconds) if record and record.seconds else "",
        right=f"{record.right}/{record.answers}" if record and answered else "",
        answers_url=_answers_of(found, one.person),
        interval=_interval(record) if record and answered else None,
        remarks=_(", ").join(remarks),
    )


def _interval(record: RaterRecord) -> Chart:
    ends = [None if share is None else 100 * share for share in (record.accuracy, record.low, record.high)]
    words = _("%(right)s of %(n)s blind answers are right; chance is %(chance)s") % {
        "right": record.right, "n": record.answers, "chance": numbers.percent(record.chance),
    }  # fmt: skip
    tone = "careful" if RaterSign.CHANCE in record.signs else ""
    return charts.interval(
        words, at=ends[0], low=ends[1], high=ends[2], chance=100 * record.chance, tone=tone
    )


# --- pace, agreement ---


def _burn_up(found: Today) -> Chart:
    counts, ends = found.verified_by_day, found.outlook.expected()
    first = date_format(found.counts.done.days[0], "MONTH_DAY_FORMAT")
    last = date_format(ends, "MONTH_DAY_FORMAT") if ends else ""
    left = (ends - found.counts.done.days[-1]).days if ends else None
    caption = _("Verified items in the last %(days)s days: from %(first)s to %(last)s of %(all)s") % {
        "days": len(counts), "first": counts[0], "last": counts[-1], "all": found.total,
    }  # fmt: skip
    return charts.burn_up(caption, counts, found.total, ends=left, days=(first, _("today"), last))


def _weeks(found: Today, links: ItemLinks) -> list[tuple[str, int, str]]:
    """Return the numbers of items verified in each of the four weeks, with links to them."""
    done, days = found.counts.done.by_day(VERIFIED), found.counts.done.days
    rows = []
    for start in range(0, len(days), 7):
        first, last = days[start], days[min(start + 6, len(days) - 1)]
        name = f"{date_format(first, 'MONTH_DAY_FORMAT')} – {date_format(last, 'MONTH_DAY_FORMAT')}"
        url = links.to(done=VERIFIED, since=str(first), until=str(last))
        rows.append((name, sum(done[start : start + 7]), url))
    return rows


def _agreement(found: Today) -> dict[str, object] | None:
    """Return the agreement of reviewers in words, and drawn beside the band that it should be in."""
    stored = found.agreement
    if stored is None:
        return None
    raw, ac2 = stored["raw"], stored["ac2"]
    low, high = AGREEMENT_BAND
    shown: dict[str, object] = {
        "n": stored["rated_twice"],
        "raw": numbers.percent(raw["value"]) if raw["value"] is not None else "",
        "url": f"{_page(found, 'review:counted_items')}?figure=twice",
        "band": {"low": f"{low:.2f}", "high": f"{high:.2f}"},
    }
    if ac2["value"] is None:
        return shown
    words = f"AC2 {ac2['value']:.2f}"
    if ac2["low"] is not None:
        words = f"{words} [{ac2['low']:.2f}, {ac2['high']:.2f}]"
    shown |= {
        "place": "below" if ac2["value"] < low else "above" if ac2["value"] > high else "inside",
        "words": words,
        "chart": charts.banded(
            _("%(figure)s; it should be between %(low)s and %(high)s")
            % {"figure": words, "low": f"{low:.2f}", "high": f"{high:.2f}"},
            Scale(min(0.0, ac2["value"]), 1.0),
            AGREEMENT_BAND,
            at=ac2["value"],
            low=ac2["low"],
            high=ac2["high"],
        ),
    }
    return shown
