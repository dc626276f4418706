"""Checks of pairs of texts, and of the judgement whether both can describe the same scene."""

from collections.abc import Iterator
from typing import ClassVar, Final

from parable.kinds.scene import ScenePair, find_difference
from parable.quality.finding import ERROR, WARNING, Finding
from parable.quality.kinds.base import Check
from parable.sentences import gettext_noop as _


class TextsEqual(Check[ScenePair]):
    """Find pairs whose texts do not differ."""

    id: ClassVar = "texts_equal"
    name: ClassVar = _("Texts are the same")
    severity: ClassVar = ERROR
    says: ClassVar = _("The two texts do not differ.")
    why: ClassVar = _("The judgement is about the one place in which the texts differ.")

    def find(self, content: ScenePair) -> Iterator[Finding]:
        """Yield one finding if the two texts are equal."""
        if content.first is not None and content.first == content.second:
            yield self.at("texts")


class DifferenceLong(Check[ScenePair]):
    """Find texts that differ in most characters, and so probably in more than one phrase."""

    id: ClassVar = "difference_long"
    name: ClassVar = _("Long difference")
    severity: ClassVar = WARNING
    says: ClassVar = _("From the first to the last difference there are %(length)d of %(all)d characters.")
    why: ClassVar = _("The texts should be the same but for one place.")

    def find(self, content: ScenePair) -> Iterator[Finding]:
        """Yield one finding if more than half of the longer text is between the first and last difference."""
        if content.first is None or content.second is None:
            return
        difference = find_difference(content.first, content.second)
        longest = max(len(content.first), len(content.second))
        length = max(len(difference.first), len(difference.second)) if difference else 0
        if length * 2 > longest:
            yield self.at("texts", length=length, all=longest)


class JudgementMissing(Check[ScenePair]):
    """Find pairs without a judgement, or with more than one."""

    id: ClassVar = "judgement_missing"
    name: ClassVar = _("Not one judgement")
    severity: ClassVar = ERROR
    says: ClassVar = _("The pair has %(count)d judgements; it needs one.")
    why: ClassVar = _("The texts can describe the same scene, or they cannot.")

    def find(self, content: ScenePair) -> Iterator[Finding]:
        """Yield one finding unless there is exactly one judgement."""
        if content.judgements is not None and len(content.judgements) != 1:
            yield self.at("judgement", count=len(content.judgements))


class ReasonMissing(Check[ScenePair]):
    """Find judgements without a reason."""

    id: ClassVar = "reason_missing"
    name: ClassVar = _("No reason")
    severity: ClassVar = WARNING
    says: ClassVar = _("Explain the judgement.")
    why: ClassVar = _("A judgement without a reason gets no points.")

    def find(self, content: ScenePair) -> Iterator[Finding]:
        """Yield one finding for each judgement without a reason."""
        for judgement in content.judgements or ():
            if not (judgement.reason or "").strip():
                yield self.at("reason")


class ReasonUnquoted(Check[ScenePair]):
    """Find reasons that do not mention the difference between the texts."""

    id: ClassVar = "reason_unquoted"
    name: ClassVar = _("Reason does not name the difference")
    severity: ClassVar = WARNING
    says: ClassVar = _("The reason does not mention “%(piece)s”.")
    why: ClassVar = _("A good reason names the words in which the texts differ.")

    def find(self, content: ScenePair) -> Iterator[Finding]:
        """Yield one finding for each part of the difference that a reason does not mention."""
        if content.first is None or content.second is None:
            return
        difference = find_difference(content.first, content.second)
        reasons = [one.reason for one in content.judgements or () if one.reason]
        for reason in reasons if difference else ():
            for part in (difference.first, difference.second) if difference else ():
                if part not in reason:
                    yield self.at("reason", piece=part)


SCENE_CHECKS: Final[tuple[Check[ScenePair], ...]] = (
    TextsEqual(),
    DifferenceLong(),
    JudgementMissing(),
    ReasonMissing(),
    ReasonUnquoted(),
)
