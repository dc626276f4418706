"""The programming interface of releases, their drafts, files, teams and error reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.request import Request

from core.errors import require
from parable.quality.gates import GATES
from projects.models import Project
from release.models import Release
from release.permissions import may_open_release
from release.queries.release import get_release
from web.requests import signed_in


def opened_release(request: Request, project: Project, version: str) -> Release:
    """Return the release of this version. Raise `Hidden` or `Forbidden` if the user may not open it."""
    user = signed_in(request)
    release = get_release(user=user, project=project, version=version)
    require(may_open_release(user, release))
    return release


def gate_row(answer: Mapping[str, Any]) -> dict[str, object]:
    """Return a gate's stored result as JSON."""
    figures = {name: answer[name] for name in ("figure", "low", "high", "threshold")}
    name = _(GATES[answer["id"]].name) if answer["id"] in GATES else answer["id"]
    return {
        "gate": answer["id"],
        "name": name,
        "task": answer["task"],
        "verdict": answer["verdict"],
        **figures,
    }
