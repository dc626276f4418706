"""Service that indexes the texts of imported stories and items for search."""

from time import monotonic
from typing import Final

from annotation.models import ItemText
from corpus.models import StoryText
from web.bigrams import index_waiting

BATCH: Final = 500
AT_WORK: Final = 60.0
"""The number of seconds after which the task stops. The scheduler runs it again every 10 seconds."""
_WORDS: Final = ((StoryText, ("ids", "title", "text")), (ItemText, ("ids", "stem", "options")))


def index_words() -> None:
    """Index the texts of stories and items that were inserted in bulk.

    Safe to run twice, even concurrently.
    """
    until = monotonic() + AT_WORK
    for words, columns in _WORDS:
        while index_waiting(words, columns, BATCH) and monotonic() < until:
            pass
