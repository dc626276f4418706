"""The pages of the gallery."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tests.gallery.forms import SampleForm
from tests.gallery.samples import SAMPLES, Sample

SHAPES = (
    "tokens",
    "words",
    "button",
    "field",
    "values",
    "upload",
    "option_row",
    "answer_row",
    "solved",
    "chip",
    "segmented",
    "tabs",
    "hint",
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
"""Each has a demonstration in `templates/gallery/shapes/`."""


@dataclass(frozen=True)
class Paper:
    """One side of the page: a scheme, the language spoken on it, and what it shows."""

    scheme: str
    code: str
    sample: Sample
    form: SampleForm
    page_obj: Page[int]


def shapes(request: HttpRequest) -> HttpResponse:
    """Show all shapes; `?swap=1` exchanges the languages between light and dark paper."""
    schemes = ("dark", "light") if "swap" in request.GET else ("light", "dark")
    papers = [_paper(scheme, language) for scheme, language in zip(schemes, ("zh", "en"), strict=True)]
    papers.sort(key=lambda paper: paper.scheme, reverse=True)
    context = {"papers": papers, "shapes": SHAPES, "swapped": "swap" in request.GET}
    return render(request, "gallery/shapes.html", context)


def spread(request: HttpRequest, kind: str) -> HttpResponse:
    """Show a whole spread: the desk or a review."""
    sample = SAMPLES["zh"]
    context = {"s": sample, "story_name": sample["title"]}
    return render(request, f"gallery/{kind}.html", context)


def _paper(scheme: str, language: str) -> Paper:
    sample = SAMPLES[language]
    form = SampleForm(sample["form"], prefix=language)
    code = {"zh": "zh-hans", "en": "en"}[language]
    return Paper(scheme, code, sample, form, Paginator(range(95), 20).page(2))
