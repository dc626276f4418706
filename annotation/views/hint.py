"""View model of the hint which type a writer should write next about a story."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.plan import Reason, StoryNeed
from annotation.queries.plan import Hint, hints
from projects.models import Project


class NamedHint(NamedTuple):
    """The name of the type to write next, and the reason as a sentence."""

    name: str
    why: str


def hint_lines(project: Project, needs: Mapping[int, StoryNeed], writer: User) -> dict[int, NamedHint]:
    """Return the hints in the reader's language, by story id; {} if there are no hints."""
    language = get_language() or ""
    found = hints(project, needs, writer)
    return {story: NamedHint(hint.type.name_in(language), _why(hint)) for story, hint in found.items()}


def _why(hint: Hint) -> str:
    reasons = {
        Reason.RESERVED_FOR_WRITER: _("reserved for you by a manager"),
        Reason.RESERVED: _("a manager reserved this story for it"),
        Reason.ONLY_MISSING: _("the only type missing here"),
        Reason.LEAST_WRITTEN: _("missing here, and you have written it least"),
        Reason.MISSING: _("missing here"),
        Reason.BELOW_SHARE: _("%(share)s %% of the project so far, target %(target)s %%"),
    }
    return reasons[hint.suggestion.reason] % {"share": hint.suggestion.share, "target": hint.target.share}
