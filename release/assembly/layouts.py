"""What a release prints, by the number of its layout: the words of the card and the prompt of its examples.

A release keeps the number of its layout and is rebuilt with it, so nothing here changes once a release has
been built with it. No text of a release comes from the site's translations.

To change what new releases print:

1. Add a layout to `LAYOUTS` that is derived from the newest one by `_changed`, with the new sentences in both
   languages. Where the files or tables themselves change, compare `frozen.recipe.layout` with the new number
   in the code that writes them, and keep the code of the layouts before.
2. Raise `release.assembly.recipe.LAYOUT`.
3. Run `tests/release/test_layouts.py` with `ADD_LAYOUT=1`: it adds a fixture of the new layout and
   the digest of its words to `tests/release/layouts/`. It never changes those of older layouts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from release.assembly.card_more_words import MORE_WORDS
from release.assembly.card_words import WORDS

Words = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Layout:
    """The words of the card by language and name, and the prompts of the examples by language.

    `making` are the names of the facts about the work on the items, in the order of the card.
    """

    words: Words
    prompts: Mapping[str, str]
    making: tuple[str, ...]

    def prompt(self, language: str) -> str:
        """The prompt for stories in this language; English where there is none of its own."""
        return self.prompts.get(language.partition("-")[0].lower(), self.prompts["en"])


def _changed(layout: Layout, changes: Words) -> Layout:
    """The layout with some of its words replaced. A name that is new is added."""
    words = {
        language: MappingProxyType({**named, **changes.get(language, {})})
        for language, named in layout.words.items()
    }
    return replace(layout, words=MappingProxyType(words))


_PROMPTS: Final = MappingProxyType(
    {
        "zh": "请读下面的故事，回答后面的单项选择题。只写出答案的字母，不要解释。\n\n"
        "故事：\n{story}\n\n问题：{question}\n\n选项：\n{options}\n\n答案：",
        "en": "Read the story and answer the multiple-choice question about it. Give only the letter of the "
        "answer, with no explanation.\n\n"
        "Story:\n{story}\n\nQuestion: {question}\n\nOptions:\n{options}\n\nAnswer:",
    }
)
_MAKING: Final = (
    "writers",
    "named_writers",
    "judged_here",
    "reviewer_may_verify",
    "brought_verified",
    "older_wording",
)

_THIRD: Final = Layout(
    words=MappingProxyType({name: {**WORDS[name], **MORE_WORDS[name]} for name in WORDS}),
    prompts=_PROMPTS,
    making=_MAKING,
)
_SECOND_AT_FIRST: Final = _changed(
    _THIRD,
    {
        "en": {
            "items": "all",
            "items_a_story": "items a story",
            "story_length": "story",
            "stem_length": "stem",
            "key_length": "key",
            "other_length": "other options",
        },
        "zh": {"items": "全部"},
    },
)
_FIRST_BEFORE: Final = _changed(
    _THIRD,
    {
        "zh": {
            "brought_verified": "{brought_verified} 题从文件导入时已标为通过复核；它们怎样评判，Parable"
            " 没有看到。",
            "allowed": "管理者放行了这些门槛：{gates}。理由：{reason}",
        }
    },
)
_FIRST_AT_FIRST: Final = replace(
    _changed(
        _FIRST_BEFORE,
        {
            "en": {"writers": "Items were written by {writers} people."},
            "zh": {"writers": "题目由 {writers} 人编写。"},
        },
    ),
    making=("writers", "judged_here", "brought_verified", "older_wording", "reviewer_may_verify"),
)

_FOURTH: Final = _changed(
    _THIRD,
    {
        "en": {
            "providers": "What models were sent before",
            "nothing_sent": "No language model was sent a story, a moral or an item of this release before it"
            " was built.",
            "sent_about": "Before this release was built, these models were sent stories, morals or whole"
            " items of it, whose makers may keep what they are sent. The moral of a story is the key of its"
            " moral items, in the same or other words. Measure these models with that in mind.",
            "sent_stories": "Stories",
            "sent_morals": "Morals",
            "sent_items": "Whole items",
        },
        "zh": {
            "providers": "哪些模型先收到过内容",
            "nothing_sent": "本版构建之前，没有把本版的任何故事、寓意或题目发给语言模型。",
            "sent_about": "本版构建之前，下列模型收到过本版的故事、寓意或整道题目，其提供者可能留存收到的"
            "内容。故事的寓意就是其寓意题的正确选项，只是措辞可能不同。评测这些模型时请留意。",
            "sent_stories": "故事",
            "sent_morals": "寓意",
            "sent_items": "整道题目",
        },
    },
)

LAYOUTS: Final[Mapping[int, tuple[Layout, ...]]] = MappingProxyType(
    {
        1: (_THIRD, _FIRST_BEFORE, _FIRST_AT_FIRST),
        2: (_THIRD, _SECOND_AT_FIRST),
        3: (_THIRD,),
        4: (_FOURTH,),
    }
)
"""The layouts by number. Words were changed under the numbers 1 and 2 while releases were built with them, so
these numbers have several wordings, the last one first; the hash of a release's card tells which is its own.
Numbers from 3 on have one."""
