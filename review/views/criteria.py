"""Translated names of the criteria by which items are rated."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

CRITERION_NAMES: Final[Mapping[str, str | Promise]] = MappingProxyType(
    {
        "relatedness": _("Relatedness"),
        "interesting": _("Interesting"),
        "fluency": _("Fluency"),
        "overall": _("Overall"),
        "": _("Grade"),
    }
)
