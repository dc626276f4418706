"""Items that ask for a story's moral, with several sets of options."""

from typing import Final

from parable.kinds.base import Kind
from parable.sentences import gettext_noop as _

MORAL: Final = Kind(
    code="moral",
    name=_("moral"),
    item_name=_("Moral item"),
    items_name=_("Moral items"),
    brief=_("Word the moral of the story as the key, and write distractors that miss its point."),
    is_usual=True,
    shares_stem=True,
    exposed_by_story=True,
    key_from_moral=True,
    has_machine_style=True,
    marks_each_option=True,
    weight=0.6,
)
