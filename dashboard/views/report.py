"""Pages of work reports. Users who may see all members get the work of everyone, others only their own."""

from datetime import date, datetime, time, timedelta

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from core.errors import Unusable
from dashboard.forms import PeriodForm, RatesForm
from dashboard.queries.pace import SUBMITTED, VERIFIED
from dashboard.queries.report import WorkRow, statement
from dashboard.views.item_links import ItemLinks
from parable.formats.table_writer import Cell, Sheet
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission, has_permission
from projects.queries import get_project
from projects.services import update_project
from review.models import Stage
from web.downloads import table_download
from web.forms import put_errors
from web.requests import MemberRequest, signed_in


@login_required
@require_GET
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the work report for the period in the query string, by default this month."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    return _page(request, user, project, RatesForm(project=project))


def _page(
    request: HttpRequest, user: User, project: Project, rates: RatesForm, status: int = 200
) -> HttpResponse:
    period = PeriodForm(request.GET)
    since, until = period.days()
    lines = _lines(user, project, since, until)
    context = {
        "project": project,
        "period": period,
        "since": since,
        "until": until,
        "lines": [(line, _counts(user, project, line, since, until)) for line in lines],
        "total": sum(line.amount for line in lines),
        "pays": any((project.rate_item, project.rate_verified, project.rate_review, project.rate_hour)),
        "rates": rates,
        "query": f"since={since.isoformat()}&until={until.isoformat()}",
    }
    return render(request, "dashboard/work_report.html", context, status=status)


def _counts(user: User, project: Project, line: WorkRow, since: date, until: date) -> list[tuple[int, str]]:
    """Return a person's counts, each with a link to the items, or with "" if the reader may not see them."""
    links = ItemLinks(project) if has_permission(user, project, Permission.SEE_PEOPLE) else None
    counts = {
        SUBMITTED: line.written,
        VERIFIED: line.verified,
        Stage.CROSS_CHECK: line.reviews,
        Stage.VERIFICATION: line.verifications,
        Stage.ADJUDICATION: line.rulings,
    }
    who, first, last = line.person.pk, since.isoformat(), until.isoformat()
    return [
        (n, links.to(done=work, by=who, since=first, until=last) if links else "")
        for work, n in counts.items()
    ]


def _lines(user: User, project: Project, since: date, until: date) -> list[WorkRow]:
    first, after = _start_of(since), _start_of(until + timedelta(days=1))
    if not has_permission(user, project, Permission.SEE_PEOPLE):
        return statement(project, first, after, only=user)
    return [line for line in statement(project, first, after) if not line.is_idle]


def _start_of(day: date) -> datetime:
    """Return the midnight at which a day begins in the reader's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))


@project_page(Permission.CHANGE_PROJECT)
@require_POST
def set_rates(request: MemberRequest, project: Project) -> HttpResponse:
    """Set the project's rates of pay."""
    user = request.user
    form = RatesForm(request.POST, project=project)
    if not form.is_valid():
        return _page(request, user, project, form, status=400)
    try:
        update_project(actor=user, project=project, changes=form.cleaned_data)
    except Unusable as error:
        project.refresh_from_db()
        put_errors(form, error)
        return _page(request, user, project, form, status=400)
    messages.success(request, _("Saved."))
    return redirect("dashboard:work_report", project.slug)


@login_required
@require_GET
def export(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Return the work report as a file."""
    user = signed_in(request)
    project = get_project(user=user, slug=slug)
    since, until = PeriodForm(request.GET).days()
    heading = [
        _("name"),
        _("submitted items"),
        _("verified items"),
        _("reviews"),
        _("verifications"),
        _("rulings"),
        _("active minutes"),
        _("amount in %(currency)s") % {"currency": project.currency},
    ]
    rows: list[list[Cell]] = [
        [
            str(line.person),
            *(line.written, line.verified, line.reviews, line.verifications, line.rulings, line.minutes),
            float(line.amount),
        ]
        for line in _lines(user, project, since, until)
    ]
    name = f"{project.slug}-{since.isoformat()}-{until.isoformat()}"
    return table_download([Sheet(_("work report"), heading, rows)], kind, name)
