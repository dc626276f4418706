"""The texts of a release by layout number: the sentences of the card and the prompts of its examples.

A release stores the number of its layout and is rebuilt with that layout. The sentences of a layout, and
their translations, must therefore not change once a release has been built with it.

To change what new releases print:

1. Add a layout to `LAYOUTS`: copy the newest with `dataclasses.replace` and give it the new sentences. If
   only a translation changes, give the sentence a new context. If the files or tables themselves change,
   compare `frozen.recipe.layout` with the new number in the code that writes them, and leave the code for
   older layouts in place.
2. Raise `release.assembly.recipe.LAYOUT`.
3. Run `tests/release/test_layouts.py` with `ADD_LAYOUT=1`: it adds a fixture of the new layout and the digest
   of its sentences to `tests/release/layouts/`. It never changes the files of older layouts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from parable.sentences import LANGUAGES, pgettext_noop, translate
from release.card import check_words, kind_words, plain_words, split_words
from release.card import words as card_words
from release.card.own_prompts import BEFORE_OCCURRENCES


@dataclass(frozen=True, slots=True)
class Layout:
    """The sentences of the card by name, and the prompts of the examples by language.

    `making` has the names of the sentences in the section on construction, in the order of the card.
    `own_prompts` has by task the prompts of examples of tasks without options, for tasks whose prompt has
    changed since. `has_occurrences`: whether answers in examples name the occurrence of a fragment, rather
    than its position.
    """

    sentences: Mapping[str, str]
    prompts: Mapping[str, str]
    making: tuple[str, ...]
    own_prompts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    has_occurrences: bool = False

    @property
    def words(self) -> Mapping[str, Mapping[str, str]]:
        """The sentences by language, then by name."""
        return {language: self.words_in(language) for language in LANGUAGES}

    def words_in(self, language: str) -> Mapping[str, str]:
        """Return the sentences in this language, by name."""
        return {name: translate(sentence, language) for name, sentence in self.sentences.items()}

    def prompt(self, language: str) -> str:
        """Return the prompt in the language of a story, or the English prompt if there is none."""
        return self.prompts.get(language.partition("-")[0].lower(), self.prompts["en"])


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

_FIRST: Final = Layout(card_words.WORDS, _PROMPTS, _MAKING, BEFORE_OCCURRENCES)
_PLAIN: Final = replace(_FIRST, sentences=MappingProxyType({**card_words.WORDS, **plain_words.WORDS}))

_KINDS: Final = replace(_PLAIN, sentences=MappingProxyType({**_PLAIN.sentences, **kind_words.WORDS}))

_SPLITS: Final = replace(_KINDS, sentences=MappingProxyType({**_KINDS.sentences, **split_words.WORDS}))

_PAUSES: Final = replace(
    _SPLITS,
    sentences=MappingProxyType(
        {
            **_SPLITS.sentences,
            "load_about": pgettext_noop(
                "data card 6",
                "Work in Parable on the whole project before the build, including rejected items. Of longer"
                " pauses, two minutes count.",
            ),
        }
    ),
)

_FIVE_HARNESSES: Final = replace(
    _PAUSES,
    sentences=MappingProxyType(
        {
            **_PAUSES.sentences,
            "file_harness": pgettext_noop(
                "data card 7",
                "`harness/`: configurations for lm-evaluation-harness, Inspect, OpenCompass, EvalScope and"
                " lighteval, each with its command in its first lines.",
            ),
        }
    ),
)

_SHARED_TASKS: Final = replace(
    _FIVE_HARNESSES,
    own_prompts={},
    has_occurrences=True,
    sentences=MappingProxyType(
        {
            **_FIVE_HARNESSES.sentences,
            **check_words.WORDS,
            "own_about": pgettext_noop(
                "data card 8",
                "The answer to such an item is the object `own`: groups of marks, each with role, characters"
                " and positions from 0, or a judgement. `score.py` and the configurations in `harness/` score"
                " answers to it as the task is scored.",
            ),
            "file_published": pgettext_noop(
                "data card 8",
                "`published/`: the same items in the format of the data set that first had them, with the IDs"
                " that they had there, so that predictions in this format can be scored.",
            ),
        }
    ),
)

LAYOUTS: Final[Mapping[int, Layout]] = MappingProxyType(
    {
        1: _FIRST,
        2: _FIRST,
        3: _PLAIN,
        4: _KINDS,
        5: _SPLITS,
        6: _PAUSES,
        7: _FIVE_HARNESSES,
        8: _SHARED_TASKS,
    }
)
"""The layouts by number. Layout 2 added rows by style to the table of blind answers, layout 3 the terms of
the glossary, layout 4 items that are not answered by options, layout 5 a train split and genres, layout 6 how
pauses are counted, layout 7 tasks for EvalScope and lighteval, and layout 8 the ids of published files and
numbers of occurrences.
"""
