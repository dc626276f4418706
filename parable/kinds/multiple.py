"""Items for which one or more options are right."""

from typing import Final

from parable.kinds.base import Kind
from parable.kinds.spatial_question import QUESTION_FILES
from parable.sentences import gettext_noop as _

MULTIPLE: Final = Kind(
    code="multiple",
    name=_("several answers"),
    item_name=_("Item with several answers"),
    items_name=_("Items with several answers"),
    brief=_("Ask something to which one or more options are right, and tick every one that is."),
    requires_explanation=True,
    answer="several",
    published=QUESTION_FILES,
    fewest_options=3,
)
