"""What a release prints, by the number of its layout: the words of the card and the prompt of its examples.

A release keeps the number of its layout and is rebuilt with it, so nothing here changes once a release has
been built with it, and neither do the translations of these sentences.

To change what new releases print:

1. Add a layout to `LAYOUTS` that is derived from the newest one by `_changed`, with the new sentences. Where
   only a translation changes, give the sentence a context of its own. Where the files or tables themselves
   change, compare `frozen.recipe.layout` with the new number in the code that writes them, and keep the code
   of the layouts before.
2. Raise `release.assembly.recipe.LAYOUT`.
3. Run `tests/release/test_layouts.py` with `ADD_LAYOUT=1`: it adds a fixture of the new layout and
   the digest of its words to `tests/release/layouts/`. It never changes those of older layouts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from parable.sentences import LANGUAGES, pgettext_noop, translate
from release.assembly.card_words import WORDS


@dataclass(frozen=True, slots=True)
class Layout:
    """The sentences of the card by name, and the prompts of the examples by language.

    `making` are the names of the facts about the work on the items, in the order of the card.
    """

    sentences: Mapping[str, str]
    prompts: Mapping[str, str]
    making: tuple[str, ...]

    @property
    def words(self) -> Mapping[str, Mapping[str, str]]:
        """The sentences by language and name."""
        return {language: self.words_in(language) for language in LANGUAGES}

    def words_in(self, language: str) -> Mapping[str, str]:
        """The sentences by name."""
        return {name: translate(sentence, language) for name, sentence in self.sentences.items()}

    def prompt(self, language: str) -> str:
        """The prompt for stories in this language; English where there is none of its own."""
        return self.prompts.get(language.partition("-")[0].lower(), self.prompts["en"])


def _changed(layout: Layout, changes: Mapping[str, str]) -> Layout:
    """The layout with some of its sentences replaced. A name that is new is added."""
    return replace(layout, sentences=MappingProxyType({**layout.sentences, **changes}))


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

_THIRD: Final = Layout(sentences=WORDS, prompts=_PROMPTS, making=_MAKING)
_SECOND_AT_FIRST: Final = _changed(
    _THIRD,
    {
        "items": pgettext_noop("data card", "all"),
        "items_a_story": pgettext_noop("data card", "items a story"),
        "story_length": pgettext_noop("data card", "story"),
        "stem_length": pgettext_noop("data card", "stem"),
        "key_length": pgettext_noop("data card", "key"),
        "other_length": pgettext_noop("data card", "other options"),
    },
)
_FIRST_BEFORE: Final = _changed(
    _THIRD,
    {
        "brought_verified": pgettext_noop(
            "data card, layout 1",
            "{brought_verified} items came in from files, already marked as verified. Parable"
            " has not seen how they were judged.",
        ),
        "allowed": pgettext_noop(
            "data card, layout 1", "A manager let these gates pass: {gates}. The reason given: {reason}"
        ),
    },
)
_FIRST_AT_FIRST: Final = replace(
    _changed(
        _FIRST_BEFORE,
        {"writers": pgettext_noop("data card, layout 1", "Items were written by {writers} people.")},
    ),
    making=("writers", "judged_here", "brought_verified", "older_wording", "reviewer_may_verify"),
)

_FOURTH: Final = _changed(
    _THIRD,
    {
        "providers": pgettext_noop("data card", "What models were sent before"),
        "nothing_sent": pgettext_noop(
            "data card",
            "No language model was sent a story, a moral or an item of this release before it was built.",
        ),
        "sent_about": pgettext_noop(
            "data card",
            "Before this release was built, these models were sent stories, morals or whole"
            " items of it, whose makers may keep what they are sent. The moral of a story is the key of its"
            " moral items, in the same or other words. Measure these models with that in mind.",
        ),
        "sent_stories": pgettext_noop("data card, sent to models", "Stories"),
        "sent_morals": pgettext_noop("data card, sent to models", "Morals"),
        "sent_items": pgettext_noop("data card, sent to models", "Whole items"),
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
