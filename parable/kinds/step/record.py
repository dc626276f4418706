"""An item with tuples as a record of published files, and back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import ANSWER, COREFERENCE, NON_COREFERENCE
from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.kinds.step.content import StepText
from parable.kinds.step.marks import from_marks, mentions_from_marks, mentions_to_marks, to_marks
from parable.kinds.step.statistics import step_counts
from parable.sentences import gettext_noop as _


def value(item: Released) -> StepText:
    """The text with its tuples and mentions, None where they are withheld."""
    own = item.get("own")
    if not own:
        return StepText(item["id"], item["story"], None)
    mentions = (mentions_from_marks(read_groups(own.get(layer))) for layer in (COREFERENCE, NON_COREFERENCE))
    return StepText(item["id"], item["story"], from_marks(read_groups(own.get(ANSWER))), *mentions)


def fields(record: StepText) -> Mapping[str, Any]:
    """What the record says of an item."""
    found = {
        ANSWER: to_marks(record.tuples or ()),
        COREFERENCE: mentions_to_marks(record.corefs),
        NON_COREFERENCE: mentions_to_marks(record.non_corefs),
    }
    own = {layer: write_groups(groups) for layer, groups in found.items() if groups}
    kept = None if record.tuples is None else own
    return {
        "id": record.id,
        "story_id": record.id,
        "story": record.context or "",
        "language": "zh",
        "own": kept,
    }


STEP_FILES: Final = Published(
    layouts=("space2023-2", "space2022-3"),
    file="task2_{split}.jsonl",
    value=value,
    fields=fields,
    count=step_counts,
    figures=MappingProxyType(
        {
            "characters": _("characters in a text"),
            "tuples": _("tuples"),
            "by_tuples": _("texts by tuples"),
            "roles": _("elements by role"),
            "coreferences": _("sets of mentions of one entity"),
            "non_coreferences": _("sets of mentions that only look like one"),
        }
    ),
)
