"""The long work of this app."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from corpus import services
from corpus.queries import SEARCH
from jobs.kinds import Tell, work


@work(SEARCH, title=_("Similar stories"))
def find_similar(project_id: int, _tell: Tell) -> dict[str, int]:
    """Compare the stories of a project."""
    return {"stories": services.find_similar(project_id=project_id)}
