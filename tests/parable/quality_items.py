"""Sound items to spoil, in both languages, for the tests of single-item checks. All of it is our own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from parable.quality.item import CHECKS, Batch, Finding, ItemView, OptionView

ZH = ItemView(
    task="commonsense",
    language="zh",
    stem="松鼠把松果藏在树洞里，最可能是为了什么？",
    options=(
        OptionView("留到冬天再吃", is_key=True),
        OptionView("送给河里的鱼"),
        OptionView("用来盖新房子"),
        OptionView("拿去换一顶帽"),
    ),
    types=("biological",),
    explanation="松鼠冬天难以找到食物，所以秋天储存松果。",
    story="秋天到了，一只松鼠每天在林子里跑来跑去。它抱着一颗颗松果，小心地塞进树洞，还用叶子盖好。喜鹊笑它太傻。",
    standard_stem="哪个选项说出了故事的道理？",
)

EN = ItemView(
    task="commonsense",
    language="en",
    stem="Why does the squirrel hide the pine cones?",
    options=(
        OptionView("To eat them in winter", is_key=True),
        OptionView("To give them to a fish"),
        OptionView("To build a new house"),
        OptionView("To trade them for hats"),
    ),
    types=("biological",),
    explanation="Food is scarce in winter, so squirrels store it in autumn.",
    story="Autumn had come. All day long a squirrel ran through the wood, pushed one pine cone after another"
    " into a hollow tree and covered them with leaves. The magpie laughed at her.",
    standard_stem="Which option states the lesson?",
)

SOUND = {"zh": ZH, "en": EN}


def with_options(item: ItemView, *texts: str, key: int | None = 0) -> ItemView:
    """The item with these options; `key` is a 0-based place, None for no key."""
    return replace(item, options=tuple(OptionView(text, index == key) for index, text in enumerate(texts)))


def change(item: ItemView, changes: dict[str, Any]) -> ItemView:
    """The item with other fields; `options` as texts of which the first, or `key`, is the key."""
    fields = dict(changes)
    key = fields.pop("key", 0)
    if (texts := fields.pop("options", None)) is not None:
        item = with_options(item, *texts, key=key)
    return replace(item, **fields)


def findings(check: str, item: ItemView) -> list[Finding]:
    """What one check finds in an item; nothing where it does not apply to the item's task.

    An item with findings is a candidate of the check, also between others.
    """
    if not CHECKS[check].applies_to(item.task):
        return []
    found = list(CHECKS[check].find(item))
    assert not found or 1 in CHECKS[check].candidates(Batch([ZH, item, EN, ZH]))
    return found
