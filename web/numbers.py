"""Numbers as text in the current language."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _


def percent(share: float, digits: int = 1) -> str:
    """Return a fraction in per cent, with a space before the sign in English and without one in Chinese."""
    return _("%(number)s %%") % {"number": number_format(round(100 * share, digits), digits)}
