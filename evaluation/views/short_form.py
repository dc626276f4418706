"""Pages of the short form of a release: a few items that represent the whole set."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from core.errors import Hidden
from evaluation.page import reader_language
from evaluation.queries.calibration import newest_analysis, released, short_form
from evaluation.views.run import LANGUAGES
from parable.commands.results.words import word
from parable.psychometrics.irt import FEW_EXAMINEES
from parable.psychometrics.short_forms.form import LEAST_EXAMINEES
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release.queries.release import get_release
from release.services import record_released_key_exposures
from web.requests import MemberRequest

SHOWN: Final = 50
"""The maximum number of items on the page; the file lists all items."""
DRAWS: Final = {
    "error": gettext_lazy("This short form"),
    "random": gettext_lazy("Random draws"),
    "stratified": gettext_lazy("Draws stratified by difficulty"),
}


@project_page(Permission.SEE_RESULTS)
@require_GET
def show(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Show the items of the short form, and its error compared with random draws."""
    release = get_release(user=request.user, project=project, version=version)
    analysis = newest_analysis(release)
    form = short_form(analysis)
    visible = [] if form is None else form["items"][:SHOWN]
    items = {} if analysis is None else released(analysis, [one["id"] for one in visible])
    record_released_key_exposures(actor=request.user, released=[item.pk for item in items.values()])
    rows = []
    for one in visible:
        types = [word(code, reader_language()) for code in one.get("type", "").split(", ")]
        rows.append({**one, "item": items.get(one["id"]), "type": _(", ").join(types)})
    context = {
        "project": project,
        "section": "evaluation",
        "release": release,
        "calibration": analysis,
        "form": form,
        "rows": rows,
        "errors": [] if form is None else [_error(name, label, form) for name, label in DRAWS.items()],
        "half_width": None if form is None else _points(form["error"]["half_width"]),
        "least": LEAST_EXAMINEES,
        "enough": FEW_EXAMINEES,
        "lang": LANGUAGES[project.language],
    }
    return render(request, "evaluation/short_form.html", context)


def _error(name: str, label: object, form: Mapping[str, Any]) -> dict[str, object]:
    one = form[name]
    return {"name": label} | {key: _points(one[key]) for key in ("mean", "low", "high", "root")}


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


@project_page(Permission.SEE_RESULTS)
@require_GET
def download(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Return the short form in the format of `parable short-form`, for scoring new responses."""
    release = get_release(user=request.user, project=project, version=version)
    form = short_form(newest_analysis(release))
    if form is None:
        raise Hidden(_("There is no short form of this release."))
    response = JsonResponse(form, json_dumps_params={"ensure_ascii": False, "indent": 1})
    name = f"{project.slug}-{release.version}-short-form.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
