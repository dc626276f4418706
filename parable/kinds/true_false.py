"""Items with a statement about a story that is true or false."""

from types import MappingProxyType
from typing import Final

from parable.kinds.base import Kind
from parable.sentences import gettext_noop as _

TRUE_FALSE: Final = Kind(
    code="true_false",
    name=_("true or false"),
    item_name=_("True/false item"),
    items_name=_("True/false items"),
    brief=_("Write a sentence about the story that is clearly true or clearly false, and mark which it is."),
    requires_explanation=True,
    asks=False,
    options=MappingProxyType({"en": ("True", "False"), "zh": ("正确", "错误")}),
)
