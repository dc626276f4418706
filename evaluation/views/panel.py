"""Pages of panels: opening a panel, inviting people, and solving items as an invited person."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import Conflict, Hidden, Unusable
from core.numbers import whole_number
from evaluation import services
from evaluation.forms import InviteForm, PanelForm, given_in
from evaluation.models import ExamineeKind, PanelSeat, Run
from evaluation.queries.panel import answered_place, find_seat, get_seat, seats
from evaluation.queries.run import get_run, measurable_releases, tally
from evaluation.views.run import LANGUAGES, kinds_of
from parable.kinds import kind_of
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.queries.answer_form import answer_form
from web.forms import put_errors
from web.requests import MemberRequest

OWN: Final = "own"
CANNOT_SAY: Final = "none"


@project_page(Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def start(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form to open a panel; POST draws its sample of items."""
    form = PanelForm(
        project,
        request.POST if request.method == "POST" else None,
        initial={"release": measurable_releases(project).first()},
    )
    if request.method == "POST" and form.is_valid():
        try:
            run = services.open_panel(actor=request.user, **form.cleaned_data)
        except Unusable as error:
            put_errors(form, error)
        else:
            return redirect("evaluation:panel", project.slug, run.pk)
    context = {
        "project": project,
        "section": "evaluation",
        "form": form,
        "has_release": measurable_releases(project).exists(),
    }
    return render(
        request, "evaluation/new_panel.html", context, status=400 if request.method == "POST" else 200
    )


@project_page(Permission.SEE_RESULTS, change=Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show a panel's people and their progress; POST creates links for more people."""
    run = _panel(request, project, pk)
    form = InviteForm(
        request.POST if request.method == "POST" else None,
        initial={"items_each": min(20, run.sample_size or 1)},
    )
    if request.method == "POST" and form.is_valid():
        try:
            issued = services.invite_to_panel(
                actor=request.user,
                run=run,
                names=form.cleaned_data["names"].splitlines(),
                items_each=form.cleaned_data["items_each"],
                days=form.cleaned_data["days"],
            )
        except (Unusable, Conflict) as error:
            put_errors(form, error)
        else:
            services.keep_panel_links(actor=request.user, run=run, issued=issued)
            return redirect("evaluation:panel", project.slug, pk)
    seen = tally(run)
    cached = services.cached_panel_links(actor=request.user, run=run)
    context = {
        "project": run.release.project,
        "section": "evaluation",
        "run": run,
        "form": form,
        "tally": seen,
        "kinds": [kind for kind in kinds_of(seen) if kind["n"]],
        "percent": 100 * seen.accuracy if seen.accuracy is not None and seen.asked else None,
        "seats": [
            (
                seat,
                request.build_absolute_uri(reverse("evaluation:solve", args=[cached[seat.pk]]))
                if seat.pk in cached
                else "",
            )
            for seat in seats(run)
        ],
    }
    return render(request, "evaluation/panel.html", context, status=400 if request.method == "POST" else 200)


def _panel(request: MemberRequest, project: Project, pk: int) -> Run:
    run = get_run(user=request.user, project=project, pk=pk)
    if run.examinee.kind != ExamineeKind.PANEL:
        raise Hidden(_("Panel not found."))
    return run


def answer_parts(record: Mapping[str, Any], language: str) -> dict[str, object]:
    """Return the template context of the form in which a panel member answers this item."""
    form = kind_of(record["task"]).answer
    if form != OWN:
        return {"answer_form": f"evaluation/answers/{form}.html"}
    found = answer_form(record, language)
    return {
        **found.context,
        "answer_form": found.form,
        "text_form": found.text,
        "scripts": found.scripts,
        "is_own": True,
    }


@project_page(Permission.CHANGE_RESULTS)
@require_POST
def withdraw(request: MemberRequest, project: Project, pk: int, seat: int) -> HttpResponse:
    """Revoke a person's link."""
    run = _panel(request, project, pk)
    services.withdraw_seat(actor=request.user, seat=get_seat(run=run, pk=seat))
    messages.success(request, _("Link withdrawn. Answers given so far are kept."))
    return redirect("evaluation:panel", project.slug, pk)


@require_http_methods(["GET", "POST"])
def solve(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invited person the next item, without the key; POST saves an answer. No account is needed."""
    user = request.user if request.user.is_authenticated else None
    seat = find_seat(token=token, opened_by=user)
    error = ""
    if request.method == "POST":
        try:
            _answer(request, seat)
        except Unusable as refused:
            error = str(refused)
        else:
            return redirect("evaluation:solve", token)
    place = services.next_place(seat=seat)
    if place is not None and place.position == 1 and "start" not in request.GET and not error:
        start_url = f"{reverse('evaluation:solve', args=[token])}?start=1"
        intro = {"seat": seat, "panel": seat.run.examinee, "start_url": start_url}
        return render(request, "evaluation/solve_intro.html", intro)
    context: dict[str, object] = {"seat": seat, "error": error, "panel": seat.run.examinee}
    if place is not None:
        record = place.item.record
        context |= {
            "place": place,
            "title": record["title"],
            "story": record["story"],
            "question": record["question"],
            "options": [
                (shown, shown + 1, record["choices"][released]) for shown, released in enumerate(place.order)
            ],
            "cannot_say": CANNOT_SAY,
            "lang": (language := LANGUAGES.get(record["language"], record["language"] or "en")),
            "done": place.position - 1,
            **answer_parts(record, language),
        }
    # The address contains the token. The site's referrer policy hides it from other sites. With
    # "no-referrer", browsers would send `Origin: null` with the form, which the CSRF protection refuses.
    return render(request, "evaluation/solve.html", context, status=400 if error else 200)


def _answer(request: HttpRequest, seat: PanelSeat) -> None:
    position = whole_number(request.POST.get("place", ""))
    place = None if position is None else answered_place(seat=seat, position=position)
    if position is None or place is None:
        raise Unusable(_("Select one option."))
    cannot_say = request.POST.get("position") == CANNOT_SAY
    shown = None if cannot_say else given_in(request.POST, place.item.record)
    if shown is None and not cannot_say:
        raise services.unanswered(place.item.record)
    services.answer_place(seat=seat, position=position, shown=shown)
