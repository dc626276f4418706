"""Practice items for managers: what there is, how reviewers do on them, and making one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from annotation.content import ItemContent
from annotation.queries import get_item
from annotation.services import record_keys_shown
from core.errors import Conflict, Unusable
from projects.asking import managed_project
from projects.models import Project
from review import services
from review.forms import GoldForm
from review.models import Answer, Disposition, Flaw, Stage, verdict_words
from review.practice import PLANTS, Expected, plant
from review.queries.gold import (
    MOST_SETTLED,
    Settled,
    calibration,
    get_gold_item,
    gold_items,
    gold_words,
    judged_rightly,
    settled,
    settled_items,
)
from review.views.presenting import Choice
from review.views.shown_statistics import share
from web.forms import put_errors
from web.requests import signed_in

PER_PAGE = 50


def _project(request: HttpRequest, slug: str) -> tuple[User, Project]:
    return signed_in(request), managed_project(request, slug)


@login_required
@require_GET
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's practice items with how often they were judged rightly, and each reviewer's share."""
    _user, project = _project(request, slug)
    page = Paginator(gold_items(project), PER_PAGE).get_page(request.GET.get("page"))
    scores = judged_rightly(page)
    context = {
        "project": project,
        "page": page,
        "rows": [(gold, gold_words(gold).stem, share(*scores.get(gold.pk, (0, 0)))) for gold in page],
        "reviewers": [(row.name, share(row.right, row.n)) for row in calibration(project)],
        "settled": settled_items(project)[:MOST_SETTLED],
    }
    return render(request, "review/gold.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def make(request: HttpRequest, slug: str, item: int) -> HttpResponse:
    """A practice item from a settled one: as it stands, or with a flaw planted into it."""
    user, project = _project(request, slug)
    found = get_item(user=user, project=project, pk=item)
    known = settled(found)
    if known is None:
        raise Conflict(_("Nothing is settled about this item yet, so that nothing could be learnt from it."))
    record_keys_shown(actor=user, items=[found.pk])
    kind = request.GET.get("plant", "") if known.is_sound else ""
    content, expected = _begun(known, kind)
    before: dict[str, Any] = {"before": content, "max_rating": project.max_rating}
    form = GoldForm(request.POST or None, initial=_initial(known, content, expected), **before)
    if form.is_valid():
        try:
            services.make_gold(
                actor=user,
                item=found,
                content=form.content(),
                expected=form.expected(),
                lesson=form.cleaned_data["lesson"],
            )
        except Unusable as error:
            put_errors(form, error)
        else:
            messages.success(request, _("The practice item is mixed in from now on."))
            return redirect("review:gold", slug)
    status = 400 if form.is_bound else 200
    return render(request, "review/gold_make.html", _making(known, form, kind), status=status)


def _begun(known: Settled, kind: str) -> tuple[ItemContent, Expected]:
    if kind not in PLANTS:
        return known.content, known.expected
    return plant(kind, known.content, good=known.expected)


def _initial(known: Settled, content: ItemContent, expected: Expected) -> dict[str, Any]:
    options = {f"option_{place}": option.text for place, option in enumerate(content.options)}
    return options | {
        "stem": content.stem,
        "explanation": content.explanation,
        "key": next((place for place, option in enumerate(content.options) if option.is_key), 0),
        "answer": expected.answer,
        "right": list(expected.positions),
        "rating_low": expected.rating_low,
        "rating_high": expected.rating_high,
        "flaws": list(expected.flaws),
        "dispositions": list(expected.dispositions),
        "lesson": _first_lesson(known, expected),
    }


def _first_lesson(known: Settled, expected: Expected) -> str:
    """Words to begin with, in the language of the stories."""
    with override(known.item.story.lang.lower()):
        if not expected.flaws:
            start = _("Two people solved this item, and both let it stand.")
        else:
            labels = dict(Flaw.choices)
            flaws = _(", ").join(str(labels[flaw]) for flaw in expected.flaws)
            start = _("What is wrong with this item: %(flaws)s.") % {"flaws": flaws}
    return "\n".join([start, *(known.said if expected.flaws and not known.is_sound else ())])


def _making(known: Settled, form: GoldForm, kind: str) -> dict[str, object]:
    chosen = {name: _values(form, name) for name in ("answer", "right", "flaws", "dispositions", "key")}
    words = verdict_words(Stage.CROSS_CHECK)
    verdicts = [each for each in Disposition if each != Disposition.SEND_ON]
    return {
        "project": known.item.project,
        "item": known.item,
        "story": known.item.story,
        "form": form,
        "kinds": _kinds(kind) if known.is_sound else [],
        "options": [
            (form[f"option_{place}"], place, str(place) in chosen["key"], str(place) in chosen["right"])
            for place in range(len(known.content.options))
        ],
        "answers": [Choice(each.value, str(each.label), each.value in chosen["answer"]) for each in Answer],
        "flaws": [Choice(each.value, str(each.label), each.value in chosen["flaws"]) for each in Flaw],
        "dispositions": [
            Choice(each.value, words[each], each.value in chosen["dispositions"]) for each in verdicts
        ],
    }


def _values(form: GoldForm, name: str) -> set[str]:
    value = form[name].value()
    return {str(one) for one in value} if isinstance(value, list) else {str(value)}


def _kinds(chosen: str) -> list[Choice]:
    labels = {
        "": _("as it stands"),
        "wrong_key": _("another option as the key"),
        "two_right": _("a second right option"),
        "no_story": _("answerable without the story"),
        "typo": _("a fault of language"),
    }
    return [Choice(kind, label, kind == chosen) for kind, label in labels.items()]


@login_required
@require_POST
def retire(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Hand it out no more."""
    user, project = _project(request, slug)
    services.retire_gold(actor=user, gold=get_gold_item(project=project, pk=pk))
    return redirect("review:gold", slug)


@login_required
@require_POST
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Hand it out again."""
    user, project = _project(request, slug)
    services.restore_gold(actor=user, gold=get_gold_item(project=project, pk=pk))
    return redirect("review:gold", slug)
