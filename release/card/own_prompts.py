"""The prompts of examples with marks in releases of layouts 4 to 7: the task's own at that time."""

# Names tasks: prompts with which releases were built.

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ANOMALY: Final[Mapping[str, str]] = MappingProxyType(
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

_STEP: Final[Mapping[str, str]] = MappingProxyType(
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

BEFORE_OCCURRENCES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {"anomaly_spans": _ANOMALY, "step_tuples": _STEP}
)
"""By task. Since layout 8 the prompt of the task itself is used, which says how to name an occurrence."""
