"""Titles of jobs, stored as codes and translated when displayed.

Rows store a code and its parameters, so that all readers see the title in their own language.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from jobs.job_types import job_type_of

CANDIDATES: Final = "candidates"
PASTED: Final = "pasted"
TRIED: Final = "tried"
MEASURED: Final = "measured"
JUDGED: Final = "judged"

_TITLES: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    CANDIDATES: lambda about: (
        ngettext("Candidates for %(n)d story", "Candidates for %(n)d stories", about["n"]) % about
    ),
    PASTED: lambda _about: _("Answer entered by hand"),
    MEASURED: lambda about: _("%(model)s on release %(release)s") % about,
    JUDGED: lambda about: (
        ngettext("%(model)s assesses %(n)d item", "%(model)s assesses %(n)d items", about["n"]) % about
    ),
    TRIED: lambda _about: _("Trial of an item"),
}


def title_of(code: str, about: Mapping[str, Any], *, kind: str = "") -> str:
    """Return the title of a code in the current language; if the code is empty, that of the job type `kind`.

    Any text that is neither a code nor the name of a job type is returned unchanged.
    """
    if code:
        known = _TITLES.get(code)
        return known(about) if known else code
    job_type = job_type_of(kind)
    return str(job_type.title) % about if job_type else kind
