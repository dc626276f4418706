"""The living style page: every shape, in both languages, on light and on dark paper."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.forms import SampleForm
from dashboard.samples import SAMPLES, Sample

SHAPES = (
    "tokens",
    "words",
    "button",
    "field",
    "upload",
    "option_row",
    "answer_row",
    "told",
    "chip",
    "segmented",
    "tabs",
    "meter",
    "diff",
    "timeline",
    "table",
    "figures",
    "plot",
    "card",
    "notice",
    "empty",
    "filter",
    "copy",
    "dialog",
    "foot",
)
"""Each has a demonstration in `templates/dashboard/style/`."""


@dataclass(frozen=True)
class Paper:
    """One side of the page: a scheme, the language spoken on it, and what it shows."""

    scheme: str
    code: str
    sample: Sample
    form: SampleForm
    page_obj: Page[int]


@require_GET
def style(request: HttpRequest) -> HttpResponse:
    """Show all shapes; `?swap=1` exchanges the languages between light and dark paper."""
    _refuse_strangers(request)
    schemes = ("dark", "light") if "swap" in request.GET else ("light", "dark")
    papers = [_paper(scheme, language) for scheme, language in zip(schemes, ("zh", "en"), strict=True)]
    papers.sort(key=lambda paper: paper.scheme, reverse=True)
    context = {"papers": papers, "shapes": SHAPES, "swapped": "swap" in request.GET}
    return render(request, "dashboard/style.html", context | _theme(request))


@require_GET
def style_spread(request: HttpRequest, kind: str) -> HttpResponse:
    """Show a whole spread, `kind` being "desk" or "review"; `?text=en` sets its story in English."""
    _refuse_strangers(request)
    sample = SAMPLES.get(request.GET.get("text", "zh"), SAMPLES["zh"])
    context = {"s": sample, "story_name": sample["title"]}
    return render(request, f"dashboard/style_{kind}.html", context | _theme(request))


def _refuse_strangers(request: HttpRequest) -> None:
    if not (settings.DEBUG or (request.user.is_authenticated and request.user.is_staff)):
        raise Http404


def _theme(request: HttpRequest) -> dict[str, str]:
    """`?theme=dark` or `light` sets the scheme of the whole page, for pictures of it."""
    wanted = request.GET.get("theme", "")
    return {"theme": wanted} if wanted in ("light", "dark") else {}


def _paper(scheme: str, language: str) -> Paper:
    sample = SAMPLES[language]
    form = SampleForm(sample["form"], prefix=language)
    code = {"zh": "zh-hans", "en": "en"}[language]
    return Paper(scheme, code, sample, form, Paginator(range(95), 20).page(2))
