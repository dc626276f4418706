"""Sentences of the data card since layout 4, by name.

They are on items that are not answered with one option.
"""

from collections.abc import Mapping
from typing import Final

from parable.sentences import pgettext_noop

WORDS: Final[Mapping[str, str]] = {
    "about_own": pgettext_noop("data card 4", "{items} items about {stories} texts, version {version}."),
    "answers_of": pgettext_noop("data card 4", "Answers: {task}"),
    "answers_dev": pgettext_noop("data card 4", "Answers in dev: {task}"),
    "figure_name": pgettext_noop("data card 4", "Figure"),
    "figure_of": pgettext_noop("data card 4", "of"),
    "figure_value": pgettext_noop("data card 4", "Value"),
    "own_about": pgettext_noop(
        "data card 4",
        "The answer to such an item is the object `own`: groups of marks, each with role, characters and"
        " positions from 0, or a judgement. Parable's `score` command scores answers to it.",
    ),
    "seen": pgettext_noop(
        "data card 4",
        "Every story has items in dev and in test: {shared} of {test} test items share their story with a dev"
        " item, so scores are those on stories seen before. Dev: {share} of the items planned, {got}"
        " reached.",
    ),
    "file_published": pgettext_noop(
        "data card 4", "`published/`: the same items in the format of the data set that first had them."
    ),
}
