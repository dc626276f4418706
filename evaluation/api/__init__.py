"""The programming interface of examinees, runs, responses, results, calibrations and panels."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext as _
from rest_framework.decorators import renderer_classes

from core.errors import Unusable
from evaluation.models import Run
from projects.models import Project
from release.models import Release
from release.queries.release import live_release
from web.renderer import FileRenderer, Renderer

FILES = renderer_classes([Renderer, FileRenderer])
"""Decorates an endpoint that returns a file: clients may accept any type of content."""


def named_release(project: Project, version: str) -> Release:
    """Return the release that a request names. Raise `Unusable` if there is none of this version."""
    found = live_release(project, version)
    if found is None:
        raise Unusable(_("Release not found."), "release")
    return found


def named_runs(known: Collection[Run], wanted: Collection[int]) -> list[Run]:
    """Return the known runs with these ids. Raise `Unusable` if one of them is not known."""
    found = [run for run in known if run.pk in set(wanted)]
    if len(found) < len(set(wanted)):
        raise Unusable(_("Run not found."), "runs")
    return found
