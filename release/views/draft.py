"""The pages of a draft of a release: contents, gates, settings and build."""

from collections.abc import Iterable
from typing import Any, Final

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.kinds import task_name
from annotation.models import Item
from core.errors import Conflict, Hidden, Unusable
from jobs.hooks import dispatch
from jobs.queries import job_of
from parable.quality.gates import GATES
from projects.models import Language, Project
from projects.page import project_page
from projects.permissions import Permission, permissions_of
from release import services
from release.assembly.versions import MINOR, PATCH, after
from release.forms import OptionsForm, ReasonForm, typed_options
from release.models import ReleaseDraft, ReleaseState, Split
from release.options import CONTENTS, SETTINGS, blank, fields_of, split_rules, typed_of
from release.queries import draft as queries
from release.queries.draft import DRAFT_CHECK
from release.queries.lineage import bases
from release.queries.release import BUILD, live_release, next_version, preview, releases, why_ended
from release.views import draft_presentation as presentation
from release.views.draft_action import back, chosen_items, draft_at
from release.views.gate_presentation import LANGUAGES
from release.views.presentation import share_name, stopped_by
from web.forms import put_errors
from web.requests import MemberRequest

PAGE: Final = 50
RIGHTS: Final = next(gate for gate in GATES.values() if gate.story_field)
OPEN: Final = 2
"""The maximum number of findings that are expanded at once; if there are more, only the first is expanded."""


# --- a new one ------------------------------------------------------------------------------


@project_page(Permission.CHANGE_RELEASES)
@require_http_methods(["GET", "POST"])
def create(request: MemberRequest, project: Project) -> HttpResponse:
    """Show the form for a new draft; POST creates the draft and orders a check by the gates."""
    data = _initial_data(request, project)
    known = list(bases(project).values_list("version", flat=True))
    if request.method == "GET":
        form = OptionsForm(initial=data, step=CONTENTS, project=project, bases=known)
        return _ask(request, project, form)
    form = OptionsForm(request.POST, step=CONTENTS, project=project, bases=known)
    typed = typed_options(CONTENTS, request.POST)
    if typed["extends"] != data["extends"]:
        data |= queries.usual_settings(project, live_release(project, typed["extends"]))
    try:
        with transaction.atomic():
            draft = services.create_draft(actor=request.user, project=project, data={**data, **typed})
            dispatch(DRAFT_CHECK, draft.pk)
    except Unusable as error:
        form.full_clean()
        put_errors(form, error)
        return _ask(request, project, form)
    return redirect("release:draft_gates", project.slug, draft.pk)


def _initial_data(request: MemberRequest, project: Project) -> dict[str, Any]:
    """Return a new draft's values: the next version, or a patch, with the settings of an earlier release."""
    address = request.build_absolute_uri(reverse("release:report"))
    data = blank() | {"version": next_version(project), "min_rating": "0", "contact": address}
    patched = request.GET.get("patch", "")
    standing = bases(project)
    base = standing.filter(version=patched).first() if patched else standing.first()
    data |= queries.usual_settings(project, base)
    if base is not None:
        version = after(base.version, PATCH if patched else MINOR)
        data |= {
            "extends": base.version,
            "version": next_version(project) if live_release(project, version) else version,
        }
    earlier = releases(project).filter(version=request.GET.get("like", "")).first()
    if earlier is not None:
        data |= {
            "extends": "",
            **queries.usual_settings(project, earlier),
            **typed_of(earlier.recipe, ["extends"]),
        }
        if earlier.state == ReleaseState.FAILED:
            data["version"] = earlier.version
    return data


def _ask(request: MemberRequest, project: Project, form: OptionsForm) -> HttpResponse:
    wanted = preview(project)
    context = {
        "project": project,
        "section": "release",
        "form": form,
        "preview": wanted,
        "shares": [
            {
                "name": share_name(share.task, share.style),
                "verified": share.verified,
                "under_way": share.under_way,
                "retired": share.retired,
            }
            for share in wanted.shares
        ],
        "rights_gate": _(RIGHTS.name),
        "drafts": queries.drafts(project)[:3],
    }
    return render(request, "release/build.html", context, status=400 if form.errors else 200)


# --- its steps ------------------------------------------------------------------------------


@project_page(Permission.CHANGE_RELEASES)
@require_http_methods(["GET", "POST"])
def contents(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the step of a draft with version and contents; POST saves it."""
    return _fields(request, draft_at(request, project, pk), CONTENTS)


@project_page(Permission.CHANGE_RELEASES)
@require_http_methods(["GET", "POST"])
def settings(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the step of a draft with split and publication settings; POST saves it."""
    return _fields(request, draft_at(request, project, pk), SETTINGS)


def _fields(request: MemberRequest, draft: ReleaseDraft, step: str) -> HttpResponse:
    """Show a step that has form fields; POST saves the input, even if invalid, and shows the errors."""
    if request.method == "POST":
        with transaction.atomic():
            wrong = services.save_form_data(
                actor=request.user, draft=draft, data=typed_options(step, request.POST)
            )
            dispatch(DRAFT_CHECK, draft.pk)
        if not wrong.keys() & set(fields_of(step)):
            following = "gates" if step == CONTENTS else "build"
            return redirect(f"release:draft_{following}", draft.project.slug, draft.pk)
        draft = draft_at(request, draft.project, draft.pk)
    form = OptionsForm(
        draft.wishes,
        step=step,
        project=draft.project,
        bases=bases(draft.project).values_list("version", flat=True),
        extends=draft.wishes["extends"],
    )
    form.full_clean()
    context = _frame(draft, step)
    for field, sentence in context["problems"].items():
        if field in form.fields and field not in form.errors:
            form.add_error(field, sentence)
    context["form"] = form
    context["split_rule"] = dict(split_rules()).get(draft.wishes["split"], "")
    status = 400 if request.method == "POST" else 200
    return render(request, f"release/draft_{step}.html", context, status=status)


@project_page(Permission.SEE_RELEASES)
@require_GET
def gates(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the gates' results with possible actions; return 204 if a polling page is up to date."""
    draft = draft_at(request, project, pk)
    return HttpResponse(status=204) if _is_seen(request, draft) else _show_gates(request, draft)


def _is_seen(request: MemberRequest, draft: ReleaseDraft) -> bool:
    """Return whether the polling page already displays the current progress of the gates."""
    seen = request.GET.get("seen")
    return bool(seen) and seen == presentation.stamp(draft, job_of(DRAFT_CHECK, draft.pk))


def _show_gates(
    request: MemberRequest, draft: ReleaseDraft, form: ReasonForm | None = None, status: int = 200
) -> HttpResponse:
    """Show the page of the gates. `form` is the reason form with errors, if any."""
    asked = request.POST if request.method == "POST" else request.GET
    opened = asked.get("form", "")
    context = _frame(draft, "gates") | {
        "opened": opened if opened in {"override", "return"} else "",
        # the row whose form is open, or on which an action was taken
        "opened_row": presentation.row_id(asked.get("gate", ""), asked.get("task", "")),
        "reason_form": form or ReasonForm(),
        "asked_of": len(GATES),
    }
    context["polls"] = context["polls"] and not context["opened"]
    context["idle"] = [row for row in context["rows"] if not row.applies]
    raised = [row.id for row in context["rows"] if row.is_raised]
    opened_at_once = raised if len(raised) <= OPEN else raised[:1]
    context["open_rows"] = {*([] if context["opened"] else opened_at_once), context["opened_row"]}
    return render(request, "release/draft_gates.html", context, status=status)


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def override(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Override a gate with a reason. Without a reason, show the form with an error."""
    draft = draft_at(request, project, pk)
    form, gate = ReasonForm(request.POST), request.POST.get("gate", "")
    try:
        services.override_gate(
            actor=request.user, draft=draft, gate=gate, reason=request.POST.get("reason", "")
        )
    except Unusable as error:
        form.refuse(error)
        return _show_gates(request, draft, form, status=400)
    except Conflict as error:
        messages.warning(request, str(error))
    return back(request, draft)


@project_page(Permission.CHANGE_RELEASES)
@require_POST
def send_back(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Return the items of a finding to review with a reason.

    Without a reason, show the form with an error.
    """
    draft = draft_at(request, project, pk)
    form, chosen = ReasonForm(request.POST), chosen_items(request)
    try:
        with transaction.atomic():
            n = services.return_items(
                actor=request.user,
                draft=draft,
                gate=request.POST.get("gate", ""),
                task=request.POST.get("task", ""),
                reason=request.POST.get("reason", ""),
                items=chosen,
            )
            dispatch(DRAFT_CHECK, draft.pk)
    except Unusable as error:
        form.refuse(error)
        if chosen is None:
            return _show_gates(request, draft, form, status=400)
        return _list(request, draft, form, chosen, status=400)
    except Conflict as error:
        messages.warning(request, str(error))
    else:
        message = ngettext("%(n)d item returned for review.", "%(n)d items returned for review.", n) % {
            "n": n
        }
        messages.success(request, message)
    return back(request, draft)


@project_page(Permission.CHANGE_RELEASES)
@require_http_methods(["GET", "POST"])
def build(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the contents and settings of the build, and whether it is possible; POST orders the build."""
    draft = draft_at(request, project, pk)
    if request.method == "POST":
        try:
            with transaction.atomic():
                release = services.build_draft(actor=request.user, draft=draft)
                dispatch(BUILD, release.pk)
        except (Conflict, Unusable) as error:
            messages.warning(request, str(error))
            return redirect("release:draft_build", project.slug, pk)
        return redirect("release:detail", project.slug, release.version)
    if _is_seen(request, draft):
        return HttpResponse(status=204)
    context = _frame(draft, "build")
    failed = draft.release if draft.release and draft.release.state == ReleaseState.FAILED else None
    is_right = context["checked"] and not context["failing"] and not context["problems"]
    recipe = queries.recipe_of(draft)
    context |= {
        "recipe": recipe,
        "split_rule": dict(split_rules())[recipe.split],
        "dev_items": [(task_name(task), n) for task, n in recipe.dev_items.items()],
        "failed": failed,
        "failed_why": (why_ended(failed) or stopped_by(failed)) if failed else "",
        "is_ready": is_right and context["held"].items > 0,
    }
    return render(request, "release/draft_build.html", context)


def _frame(draft: ReleaseDraft, step: str) -> dict[str, Any]:
    """Return the context that all steps have in common: navigation, progress of the gates, and contents."""
    work = job_of(DRAFT_CHECK, draft.pk)
    draft.refresh_from_db(fields=["checked_at", "check_seconds", "seen", "checks"])  # see `job_of`
    held = queries.contents(draft)
    overrides = list(queries.overrides_of(draft))
    rows = presentation.gate_rows(
        draft,
        queries.findings(draft),
        {one.gate: one for one in overrides},
        queries.exclusions_by_finding(draft),
    )
    problems = services.find_problems(draft)
    checked = queries.is_checked(draft)
    states = [row.state for row in rows]
    return {
        "project": draft.project,
        "section": "release",
        "draft": draft,
        "step": step,
        "work": work,
        "polls": work is not None and work.is_unfinished,
        "stamp": presentation.stamp(draft, work),
        "polls_whole": step in {"gates", "build"},
        "poll_url": reverse(f"release:draft_{step}", args=[draft.project.slug, draft.pk]),
        "rows": rows,
        "overridden": presentation.overridden(overrides, rows),
        "failing": [row for row in rows if row.fails],
        "tally": {state: states.count(state) for state in ("fails", "overridden", "warning", "passes")},
        "checked": checked,
        "problems": problems,
        "held": held,
        "counts": presentation.task_counts(draft, held),
        "genres": presentation.genre_counts(draft),
        "splits": [Split(split).label for split in queries.recipe_of(draft).splits],
        "planned": presentation.planned(draft),
        "lists": presentation.list_rows(draft, held),
        "steps": presentation.steps(
            draft,
            held,
            rows,
            problems,
            checked=checked,
            is_running=work is not None and work.is_unfinished,
        ),
        "lang": LANGUAGES[Language(draft.project.language)],
    }


# --- items ----------------------------------------------------------------------------------


@project_page(Permission.SEE_RELEASES)
@require_GET
def items(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the items behind a gate's finding, or the items of a list, for selection."""
    return _list(request, draft_at(request, project, pk))


def _list(
    request: MemberRequest,
    draft: ReleaseDraft,
    form: ReasonForm | None = None,
    chosen: Iterable[int] = (),
    status: int = 200,
) -> HttpResponse:
    asked = request.POST if request.method == "POST" else request.GET
    gate, task, which = (asked.get(name, "") for name in ("gate", "task", "which"))
    context: dict[str, Any] = {
        "project": draft.project,
        "section": "release",
        "draft": draft,
        "lang": LANGUAGES[Language(draft.project.language)],
        "reason_form": form or ReasonForm(),
        "chosen": set(chosen),
    }
    if gate in GATES:
        finding = queries.get_finding(draft, gate, task)
        page = Paginator(finding.items, PAGE).get_page(asked.get("page"))
        found = queries.with_wording(Item.objects.filter(pk__in=page.object_list))
        by_number = {item.pk: item for item in found}
        visible = [by_number[number] for number in page.object_list if number in by_number]
        proposed = set(finding.leave_out)
        context |= {"gate": gate, "task": task, "why": _(GATES[gate].fix), "title": _(GATES[gate].name)}
        context |= {"proposed": proposed, "few": len(proposed) < len(finding.items)}
    elif (which := which or queries.EXCLUDED) in (queries.HELD, *queries.LISTS):
        base = queries.base_of(draft)
        listed = queries.with_wording(queries.listed_items(draft, which))
        page = Paginator(listed, PAGE).get_page(asked.get("page"))
        visible = list(page.object_list)
        context |= {"title": presentation.list_name(which, base.version if base else "")}
    else:
        raise Hidden(_("There is no such list here."))
    excluded = queries.excluded_among(draft, [item.pk for item in visible])
    context |= {
        "which": which,
        "page_obj": page,
        "items": visible,
        "excluded": excluded,
        "is_open": draft.is_open,
        "can_exclude": draft.is_open and (gate in GATES or which in queries.HOLDING),
        "can_select": draft.is_open
        and bool(visible)
        and Permission.CHANGE_RELEASES in permissions_of(request.user, draft.project)
        and (gate in GATES or which in {queries.EXCLUDED, *queries.HOLDING}),
    }
    return render(request, "release/draft_items.html", context, status=status)
