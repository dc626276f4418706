"""How a model is asked whether two texts can describe the same scene."""

import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from parable.kinds.question import NO_ANSWER, Answered, OwnAnswer, Released
from parable.kinds.scene.record import SAME, SECOND
from parable.reading.answers import CHOSEN
from parable.reading.json_answers import find_json, whole_json

REASON: Final = "reason"
_TRUTH: Final[Mapping[object, bool]] = {True: True, False: False, "true": True, "false": False}
_SAYS: Final = re.compile(r'"?same"?\s*[:：=]\s*"?(true|false)', re.IGNORECASE)


class SceneQuestion(OwnAnswer):
    """A judgement, and a reason that people grade."""

    asked: ClassVar[tuple[str, ...]] = (SECOND,)
    wanted: ClassVar[tuple[str, ...]] = ("{story}", "{second}")
    templates: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "zh": "下面两段文本只有一处不同。请判断它们能不能描述同一个场景，并说明理由。\n"
            '只写一个 JSON 对象：{"same": true 或 false, "reason": "理由"}。\n\n'
            "文本一：\n{story}\n\n文本二：\n{second}\n\n答案：",
            "en": "These two texts differ in one place. Say whether both can describe the same scene, and"
            " why.\n"
            'Give only a JSON object: {"same": true or false, "reason": "your reason"}.\n\n'
            "First text:\n{story}\n\nSecond text:\n{second}\n\nAnswer:",
        }
    )

    def read(self, text: str, item: Released, order: Sequence[int]) -> Answered:
        """The object, wherever it stands, or the last `same: true`; strictly, where there is nothing else."""
        del item, order
        lenient = _given(find_json(text, dict)) or _given(_said(text))
        if lenient is None:
            return NO_ANSWER
        return Answered(CHOSEN, lenient, _given(whole_json(text, dict)))

    def words(self, item: Released) -> str:
        """The right judgement as a model is to write it, with the writer's reason."""
        right = self.right(item)
        if right is None:
            return ""
        said = {SAME: right[SAME], REASON: item.get("explanation") or ""}
        return json.dumps(said, ensure_ascii=False)


def _given(found: Mapping[str, Any] | None) -> dict[str, object] | None:
    """The judgement with its reason; None where there is none."""
    same = None if found is None else found.get(SAME)
    if found is None or not isinstance(same, bool | str) or same not in _TRUTH:
        return None
    reason = found.get(REASON)
    return {SAME: _TRUTH[same]} | ({REASON: reason} if isinstance(reason, str) and reason else {})


def _said(text: str) -> dict[str, object] | None:
    said = _SAYS.findall(text)
    return {SAME: said[-1].lower()} if said else None


SCENE_QUESTION: Final = SceneQuestion()
