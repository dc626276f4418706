"""How a model is asked which words make a scene wrong."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from parable.kinds.anomaly.content import ROLES
from parable.kinds.marks import ANSWER
from parable.kinds.written_marks import MarksAnswer


class AnomalyQuestion(MarksAnswer):
    """Alternatives, each of fragments by role."""

    layer: ClassVar[str] = ANSWER
    roles: ClassVar[tuple[str, ...]] = ROLES
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "下面的文本里，空间描述有不合理之处。请找出是哪些文字造成的。\n"
            "S 是实体，P 是处所或方向，E 是把两者联系起来的事件；如果是两处描述互相矛盾，第一处用"
            " S1、P1、E1，"
            "第二处用 S2、P2、E2，否则只用 S1、P1、E1。文本中没有的角色不写。\n"
            "只写一个 JSON 列表，每种能单独说明问题的标注是一个对象，例如"
            '[{"S1": "灯", "P1": "墙上", "E1": "挂"}]。片段照抄原文；不连续的片段用“…”隔开。不要解释。\n\n'
            "文本：\n{story}\n\n答案：",
            "en": "Something in the spatial description of this text is wrong. Find the words that make it"
            " so.\n"
            "S is an entity, P its place or direction, E the event that ties them; where two descriptions"
            " contradict each other, the first has S1, P1, E1 and the second S2, P2, E2, else use"
            " S1, P1, E1 only."
            " Leave out what the text does not have.\n"
            "Give only a JSON list, with one object for each set of words that shows the problem by"
            " itself, such"
            ' as [{"S1": "the lamp", "P1": "on the wall", "E1": "hung"}]. Copy fragments from the'
            ' text; put "…"'
            " between pieces that are apart. No explanation.\n\nText:\n{story}\n\nAnswer:",
        }
    )


ANOMALY_QUESTION: Final = AnomalyQuestion()
