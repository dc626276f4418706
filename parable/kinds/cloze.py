"""Sentences about a story with a blank, which one of the options fills."""

from typing import Final

from parable.kinds.base import Kind
from parable.sentences import gettext_noop as _

CLOZE: Final = Kind(
    code="cloze",
    name=_("cloze"),
    item_name=_("Cloze item"),
    items_name=_("Cloze items"),
    requires_explanation=True,
    requires_blank=True,
)
