"""How a model is asked who is where, at what time, through what event."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from parable.kinds.marks import ANSWER
from parable.kinds.step.content import LABELS, ROLES
from parable.kinds.written_marks import MarksAnswer


class StepQuestion(MarksAnswer):
    """Tuples of fragments and labels by role."""

    layer: ClassVar[str] = ANSWER
    roles: ClassVar[tuple[str, ...]] = ROLES
    labels: ClassVar[Mapping[str, tuple[str, ...]]] = LABELS
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "请找出下面文本里的全部空间信息：什么实体，在什么时间，因为什么事件，处在什么空间关系中。\n"
            "角色有：空间实体、参照实体、事件、事实性、时间、处所、起点、终点、方向、朝向、部件处所、"
            "部位、形状、路径、距离。"
            "参照实体只和距离同用。事实性只写“假”，没有发生才写。时间单用时写说话时、过去或将来；"
            "与参照事件同用时写"
            '{"label": "之前", "text": "到家"}，label 是之时、之前、之后或之间。距离照抄原文，'
            "或写远、近、变远、变近。\n"
            "只写一个 JSON 列表，每条空间信息是一个对象，例如"
            '[{"空间实体": "猫", "事件": "睡", "时间": "说话时", "处所": "炉子边"}]。片段照抄原文；'
            "不连续的片段用“…”隔开。"
            "不要解释。\n\n文本：\n{story}\n\n答案：",
            "en": "Find all spatial information in this text: which entity stands, at what time, through what"
            " event, in what spatial relation.\n"
            "The roles are 空间实体 (entity), 参照实体 (the other end of a distance), 事件 (event),"
            " 事实性 (only 假,"
            " where it does not hold), 时间 (time), 处所 (place), 起点 (origin), 终点 (destination),"
            " 方向 (direction of"
            " movement), 朝向 (what a side faces), 部件处所 (place of a part), 部位 (part), 形状"
            " (shape), 路径 (path),"
            " 距离 (distance). A time alone is 说话时 (now), 过去 (past) or 将来 (future); beside an"
            " event it is"
            ' {"label": "之前", "text": "came home"} with 之时, 之前, 之后 or 之间. A distance is'
            " copied, or 远, 近,"
            " 变远, 变近.\n"
            "Give only a JSON list with one object for each piece of information, such as"
            ' [{"空间实体": "the cat", "事件": "sleeps", "时间": "说话时", "处所": "by the stove"}].'
            " Copy fragments"
            ' from the text; put "…" between pieces that are apart. No explanation.\n\n'
            "Text:\n{story}\n\nAnswer:",
        }
    )


STEP_QUESTION: Final = StepQuestion()
