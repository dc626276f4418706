"""Items whose stem is a sentence about a story with a blank, which one of the options fills."""

from typing import Final

from parable.kinds.base import Kind
from parable.sentences import gettext_noop as _

CLOZE: Final = Kind(
    code="cloze",
    name=_("cloze"),
    item_name=_("Cloze item"),
    items_name=_("Cloze items"),
    brief=_(
        "Write a sentence about the story as the stem, with ____ where words are left out; the options "
        "could all fill the gap, but only the key fits."
    ),
    requires_explanation=True,
    requires_blank=True,
)
