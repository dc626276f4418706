"""Items that require knowledge beyond the story, each of one or more types."""

from typing import Final

from parable.kinds.base import Kind
from parable.sentences import gettext_noop as _

COMMONSENSE: Final = Kind(
    code="commonsense",
    name=_("commonsense"),
    item_name=_("Commonsense item"),
    items_name=_("Commonsense items"),
    brief=_(
        "Ask something that the story does not say and that common sense answers, with one key and "
        "distractors that attract readers who understood only the words."
    ),
    is_usual=True,
    requires_types=True,
    requires_explanation=True,
    is_owed=True,
    drafts_by_stem=True,
    weight=0.4,
)
