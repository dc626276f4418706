"""A pair of texts as a record of published files, and back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.kinds.scene.content import Judgement, ScenePair
from parable.kinds.scene.statistics import scene_counts
from parable.sentences import gettext_noop as _

SAME: Final = "same"
SECOND: Final = "second"
"""Members of `own`: the judgement, and the second text, which is asked."""


def value(item: Released) -> ScenePair:
    """Both texts with the judgement, None where it is withheld."""
    own = item.get("own") or {}
    judged = (Judgement(own[SAME], item.get("explanation") or None),) if SAME in own else None
    return ScenePair(item["id"], item["story"], own.get(SECOND, ""), judged)


def fields(record: ScenePair) -> Mapping[str, Any]:
    """What the record says of an item: of several judgements the first."""
    judged = record.judgements[0] if record.judgements else None
    return {
        "id": record.id,
        "story_id": record.id,
        "story": record.first or "",
        "own": {SECOND: record.second or ""} | ({SAME: judged.is_same} if judged else {}),
        "language": "zh",
        "explanation": judged.reason if judged else None,
    }


SCENE_FILES: Final = Published(
    layouts=("space2023-3",),
    file="task3_{split}.jsonl",
    value=value,
    fields=fields,
    count=scene_counts,
    figures=MappingProxyType(
        {
            "same": _("pairs that can be the same scene"),
            "different": _("pairs that cannot"),
            "characters": _("characters in a text"),
            "difference": _("characters in a difference"),
            "reason": _("characters in a reason"),
        }
    ),
)
