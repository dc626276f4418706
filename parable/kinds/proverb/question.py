"""How a model is asked which words of a narrative stand for which of its proverb."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from parable.kinds.marks import ALIGNMENT
from parable.kinds.proverb.marks import NARRATIVE, SIDES
from parable.kinds.question import Released
from parable.kinds.written_marks import MarksAnswer


class NarrativeQuestion(MarksAnswer):
    """Pairs of spans, of the proverb and of the narrative."""

    layer: ClassVar[str] = ALIGNMENT
    roles: ClassVar[tuple[str, ...]] = SIDES
    asked: ClassVar[tuple[str, ...]] = (NARRATIVE,)
    wanted: ClassVar[tuple[str, ...]] = ("{story}", "{narrative}")
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "下面的叙事说明了一句谚语。请把谚语的片段和叙事中与之对应的片段配对，一到五对。\n"
            '只写一个 JSON 列表，例如 [{"proverb": "厨子多了", "narrative": "五个经理"}]。'
            "片段照抄原文。不要解释。\n\n"
            "谚语：\n{story}\n\n叙事：\n{narrative}\n\n答案：",
            "en": "The narrative below illustrates a proverb. Pair spans of the proverb with the spans of the"
            " narrative that stand for them, one to five pairs.\n"
            'Give only a JSON list such as [{"proverb": "too many cooks", "narrative": "five'
            ' managers"}]. Copy'
            " spans from the texts. No explanation.\n\n"
            "Proverb:\n{story}\n\nNarrative:\n{narrative}\n\nAnswer:",
        }
    )

    def texts(self, item: Released) -> Mapping[str, str]:
        """The proverb and the narrative."""
        proverb, narrative = SIDES
        return {proverb: item["story"], narrative: self.asked_of(item).get(NARRATIVE, "")}

    def target(self, role: str) -> str:
        """Each side has a text of its own."""
        return role


NARRATIVE_QUESTION: Final = NarrativeQuestion()
