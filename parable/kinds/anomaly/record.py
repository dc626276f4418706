"""An item with anomalies as a record of published files, and back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from parable.kinds.anomaly.content import AnomalyText
from parable.kinds.anomaly.marks import from_marks, to_marks
from parable.kinds.anomaly.statistics import anomaly_counts
from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import ANSWER
from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.sentences import gettext_noop as _


def value(item: Released) -> AnomalyText:
    """The text with its alternatives, None where they are withheld."""
    groups = (item.get("own") or {}).get(ANSWER)
    return AnomalyText(item["id"], item["story"], None if groups is None else from_marks(read_groups(groups)))


def fields(record: AnomalyText) -> Mapping[str, Any]:
    """What the record says of an item."""
    groups = record.alternatives
    own = None if groups is None else {ANSWER: write_groups(to_marks(groups))}
    return {
        "id": record.id,
        "story_id": record.id,
        "story": record.context or "",
        "language": "zh",
        "own": own,
    }


ANOMALY_FILES: Final = Published(
    layouts=("space2023-1", "space2022-2"),
    file="task1_{split}.jsonl",
    value=value,
    fields=fields,
    count=anomaly_counts,
    figures=MappingProxyType(
        {
            "characters": _("characters in a text"),
            "alternatives": _("alternatives"),
            "by_alternatives": _("texts by alternatives"),
            "by_fragments": _("alternatives by fragments"),
            "by_roles": _("alternatives by roles"),
            "roles": _("fragments by role"),
            "with_gaps": _("fragments with a gap"),
            "overlapping": _("alternatives whose fragments overlap"),
        }
    ),
)
