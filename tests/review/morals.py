"""Moral items of one story, each with a key and an explanation of its own."""

from typing import Final

from annotation.content import ItemContent, OptionContent
from annotation.models import Item
from corpus.models import Story
from tests.factories import Cast, submit_item

KEY_MARK: Final = "Explanation-with-the-key"
STYLES: Final = ("human", "machine", "machine")


def moral_words(number: int) -> ItemContent:
    options = [OptionContent(f"Moral {number}.{at}", at == number % 4) for at in range(4)]
    return ItemContent("What does the story teach?", tuple(options), explanation=f"{KEY_MARK} {number}")


def morals(cast: Cast, story: Story, styles: tuple[str, ...] = STYLES, first: int = 0) -> list[Item]:
    """Moral items of one story, one of each style named."""
    return [
        submit_item(cast, story=story, task="moral", style=style, words=moral_words(number))
        for number, style in enumerate(styles, first)
    ]
