"""Sentences of the data card since layout 5, by name, on train splits and genres.

If a release has a train split, a sentence whose name ends in `_three` replaces the one without this ending.
"""

from collections.abc import Mapping
from typing import Final

from parable.sentences import pgettext_noop

IN_THREE: Final = "_three"

WORDS: Final[Mapping[str, str]] = {
    "train": pgettext_noop("data card 5", "train"),
    "splits_three": pgettext_noop("data card 5", "Train, dev and test"),
    "by_story_three": pgettext_noop(
        "data card 5",
        "Split by story: all items of a story are in one split. Shares of stories planned: {planned}. Shares"
        " of items reached: {reached}.",
    ),
    "by_item_three": pgettext_noop(
        "data card 5",
        "Split by item: {shared} of {test} test items share their story with an item in train or dev, so the"
        " test also tests memory of these. Shares planned: {planned}. Shares reached: {reached}.",
    ),
    "seen_three": pgettext_noop(
        "data card 5",
        "Every story has its share of items in each split: {shared} of {test} test items share their story"
        " with an item in train or dev, so scores are those on stories seen before. Shares planned:"
        " {planned}. Shares reached: {reached}.",
    ),
    "share_of": pgettext_noop("data card 5", "{split} {share}"),
    "genre": pgettext_noop("data card 5", "Genre"),
    "genre_unknown": pgettext_noop("data card 5", "not stated"),
    "genres_about": pgettext_noop(
        "data card 5",
        "Stories by genre and split; wordings of one story count as one.",
    ),
    "genres_even": pgettext_noop(
        "data card 5",
        "The shares apply within each genre: no split has a whole story more or fewer of a genre than its"
        " share, but for stories kept from an earlier version.",
    ),
    "lengths_dev_three": pgettext_noop(
        "data card 5",
        "Mean length in characters (train and dev, since test answers are withheld)",
    ),
    "answers_dev_three": pgettext_noop("data card 5", "Answers in train and dev: {task}"),
    "no_crmus": pgettext_noop(
        "data card 5",
        "The CRMUS format has no train split, so this release has no files in it.",
    ),
    "file_jsonl_three": pgettext_noop(
        "data card 5",
        "`train/*.jsonl`, `dev/*.jsonl`, `test/*.jsonl`: one JSON object per line, UTF-8. `answer` is the"
        " index of the key in `choices`, from 0; -1 where it is withheld.",
    ),
    "file_instruction_three": pgettext_noop(
        "data card 5",
        "`instruction/`: the train and dev items as examples for fine-tuning, in Alpaca and chat format.",
    ),
    "rai_uses_three": pgettext_noop(
        "data card 5",
        "Evaluating how well models understand stories. Only the train and dev splits may be used for"
        " examples and fine-tuning, never the test.",
    ),
}
