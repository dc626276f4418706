"""Base classes of checks of answers that are not choices, and checks of spans for all such kinds."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, Generic, TypeVar

from parable.kinds.spans import Span
from parable.quality.finding import ERROR, WARNING, BaseCheck, Finding
from parable.sentences import gettext_noop as _

Content = TypeVar("Content")
SpansOf = Callable[[Content], tuple[str | None, Iterable[tuple[str, Span]]]]
"""A function that returns an answer's text (None if the file has none) and its spans with their ids."""


class Check(BaseCheck, Generic[Content]):
    """Base class of checks of a text with its answer."""

    @abstractmethod
    def find(self, content: Content) -> Iterable[Finding]:
        """Return the findings in a text with its answer; empty if there are none."""


class SpanCheck(Check[Content]):
    """Base class of checks of each span of an answer; `spans` is the kind's function for spans."""

    def __init__(self, spans: SpansOf[Content]) -> None:
        self._spans = spans

    def find(self, content: Content) -> Iterator[Finding]:
        """Yield the findings in each span; spans are compared with the text if the file has it."""
        context, spans = self._spans(content)
        for place, span in spans:
            yield from self.find_in(place, span, context)

    @abstractmethod
    def find_in(self, place: str, span: Span, context: str | None) -> Iterator[Finding]:
        """Yield the findings in one span; `context` is the text, or None if the file does not have it."""


class SpanEmpty(SpanCheck[Content]):
    """Find fragments without characters."""

    id: ClassVar = "span_empty"
    name: ClassVar = _("Empty fragment")
    severity: ClassVar = ERROR
    says: ClassVar = _("The fragment has no characters.")
    why: ClassVar = _("A fragment without characters can neither be shown nor scored.")

    def find_in(self, place: str, span: Span, context: str | None) -> Iterator[Finding]:
        """Yield one finding for a span without text or without positions."""
        if not span.text or not span.positions:
            yield self.at(place)


class SpanOutside(SpanCheck[Content]):
    """Find positions outside the text."""

    id: ClassVar = "span_outside"
    name: ClassVar = _("Position outside the text")
    severity: ClassVar = ERROR
    says: ClassVar = _("Position %(position)d is outside the text, which has %(length)d characters.")
    why: ClassVar = _("Positions count from 0 to the last character of the text.")

    def find_in(self, place: str, span: Span, context: str | None) -> Iterator[Finding]:
        """Yield one finding with the first position outside the text."""
        outside = [one for one in span.positions if context is not None and not 0 <= one < len(context)]
        if context is not None and outside:
            yield self.at(place, position=outside[0], length=len(context))


class SpanMisspelled(SpanCheck[Content]):
    """Find fragments that differ from the text at their positions."""

    id: ClassVar = "span_misspelled"
    name: ClassVar = _("Fragment and text differ")
    severity: ClassVar = ERROR
    says: ClassVar = _("The fragment says “%(text)s”, but its positions spell “%(found)s”.")
    why: ClassVar = _("Either the text or the positions are wrong, and scorers read one or the other.")

    def find_in(self, place: str, span: Span, context: str | None) -> Iterator[Finding]:
        """Yield one finding with both texts, if they differ."""
        found = None if context is None else span.read_in(context)
        if found is not None and found != span.text and span.positions:
            yield self.at(place, text=span.text, found=found)


class PositionRepeated(SpanCheck[Content]):
    """Find fragments that have a position twice."""

    id: ClassVar = "position_repeated"
    name: ClassVar = _("Position repeated")
    severity: ClassVar = WARNING
    says: ClassVar = _("Position %(position)d occurs more than once.")
    why: ClassVar = _("A repeated position changes the score of a fragment whose role the other side lacks.")

    def find_in(self, place: str, span: Span, context: str | None) -> Iterator[Finding]:
        """Yield one finding with the first repeated position."""
        seen: set[int] = set()
        for position in span.positions:
            if position in seen:
                yield self.at(place, position=position)
                return
            seen.add(position)


def span_checks(spans: SpansOf[Content]) -> tuple[Check[Content], ...]:
    """Return the checks of spans for a kind, given the function that returns an answer's spans."""
    return SpanEmpty(spans), SpanOutside(spans), SpanMisspelled(spans), PositionRepeated(spans)


def repeated(values: Iterable[str]) -> list[str]:
    """Return the values that occur more than once, without duplicates, in order."""
    seen: dict[str, int] = {}
    for value in values:
        seen[value] = seen.get(value, 0) + 1
    return [value for value, count in seen.items() if count > 1]


def is_ordered(places: Iterable[int]) -> bool:
    """Return whether the numbers are in ascending order; equal numbers are allowed."""
    numbers = list(places)
    return numbers == sorted(numbers)
