"""A reason put together from its parts: what differs, in whom, in which aspect, and what both describe."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class ReasonParts:
    """The six parts of a reason, "" where one is missing.

    The difference in the first and in the second text, the entities that both have, the aspect that differs
    in form, what the texts describe, and how that comes.
    """

    first_form: str = ""
    second_form: str = ""
    entities: str = ""
    aspect: str = ""
    described: str = ""
    manner: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether none is missing."""
        return all(part.strip() for part in astuple(self))


_SAME: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "差异在于“{0}”与“{1}”。两段都有的实体：{2}。"
        "{3}的说法不同，但都表示{4}：{5}。所以可以是同一场景。",
        "en": "The texts differ in “{0}” and “{1}”. Both have {2}. They word {3} differently, but both say "
        "{4}: {5}. So it can be the same scene.",
    }
)
_DIFFERENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "差异在于“{0}”与“{1}”。两段都有的实体：{2}。"
        "{3}的说法不同，可见{4}不同：{5}。所以不是同一场景。",
        "en": "The texts differ in “{0}” and “{1}”. Both have {2}. They word {3} differently, so {4} "
        "differs: {5}. So it is not the same scene.",
    }
)


def template_of(language: str, *, is_same: bool) -> str:
    """The sentences that the parts are put into; those for English where there are none in a language."""
    found = _SAME if is_same else _DIFFERENT
    return found.get(language.lower().partition("-")[0], found["en"])


def compose(parts: ReasonParts, language: str, *, is_same: bool) -> str:
    """The reason of these parts; "" while one is missing."""
    if not parts.is_whole:
        return ""
    return template_of(language, is_same=is_same).format(*(part.strip() for part in astuple(parts)))
