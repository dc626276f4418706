"""Formats numbers as text in the current language."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _


def percent(share: float, digits: int = 1) -> str:
    """Return a fraction as a percentage, such as "12.5 %"; without the space in Chinese."""
    return _("%(number)s %%") % {"number": number_format(round(100 * share, digits), digits)}
