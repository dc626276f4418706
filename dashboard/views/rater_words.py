"""A reviewer's record in words, numbers and charts, the same on all pages that show it."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from dashboard.queries.people import PersonFigures
from dashboard.views import figures
from parable import charts
from parable.charts import Chart
from projects.models import Project
from review.rater_signs import RaterRecord, RaterSign
from web import numbers


def answers_of(project: Project, person: User) -> str:
    """Return the address of the items that the person has answered blind."""
    page = reverse("review:counted_items", args=[project.slug])
    return f"{page}?figure=answered&reviewer={person.pk}"


def person_page(project: Project, person: User) -> str:
    """Return the address of the person's page in the project."""
    return reverse("dashboard:person", args=[project.slug, person.pk])


def sign_words(record: RaterRecord) -> list[str]:
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


def remarks_on(record: RaterRecord | None, overdue: int) -> str:
    """Return why a manager should look at a person's work; "" if there is no reason."""
    remarks = sign_words(record) if record else []
    if overdue:
        remarks.append(ngettext("%(n)s story overdue", "%(n)s stories overdue", overdue) % {"n": overdue})
    return _(", ").join(remarks)


def seconds_of(record: RaterRecord | None) -> str:
    """Return the median time of an answer, or ""."""
    return figures.short_duration(record.seconds) if record and record.seconds else ""


def right_of(record: RaterRecord | None) -> str:
    """Return how many of the blind answers are right, or ""."""
    return f"{record.right}/{record.answers}" if record and record.answers else ""


def spark_of(found: PersonFigures) -> Chart | None:
    """Return a person's work of each week as small columns; None without work."""
    if not any(found.by_week):
        return None
    counts = _(", ").join(map(str, found.by_week))
    return charts.columns(_("Work by week, oldest first: %(counts)s") % {"counts": counts}, found.by_week)


def interval_of(record: RaterRecord | None) -> Chart | None:
    """Return the accuracy of the blind answers with its interval, beside chance, as a small chart."""
    if record is None or not record.answers:
        return None
    ends = [None if share is None else 100 * share for share in (record.accuracy, record.low, record.high)]
    words = _("%(right)s of %(n)s blind answers are right; chance is %(chance)s") % {
        "right": record.right, "n": record.answers, "chance": numbers.percent(record.chance),
    }  # fmt: skip
    tone = "careful" if RaterSign.CHANCE in record.signs else ""
    return charts.interval(
        words, at=ends[0], low=ends[1], high=ends[2], chance=100 * record.chance, tone=tone
    )
