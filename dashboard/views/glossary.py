"""Page of the glossary: the meanings of terms, and their translations."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, override
from django.views.decorators.http import require_GET

from dashboard.glossary import CHAPTERS, TERMS

PAGE: Final = "dashboard/glossary.html"


@require_GET
def glossary(request: HttpRequest) -> HttpResponse:
    """Show all terms, with their translations. The page belongs to no project and requires no account."""
    other = next(code for code, _name in settings.LANGUAGES if code != get_language())
    with override(other):
        names = {term.code: str(term.name) for term in TERMS}
    chapters = [
        {"title": one.title, "terms": [(term, names[term.code]) for term in one.terms]} for one in CHAPTERS
    ]
    return render(request, PAGE, {"chapters": chapters, "other_language": other})
