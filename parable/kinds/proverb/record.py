"""A narrative as a record of published files, and back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from parable.kinds.mark_json import read_groups, write_groups
from parable.kinds.marks import ALIGNMENT
from parable.kinds.proverb.content import Narrative
from parable.kinds.proverb.marks import NARRATIVE, from_marks, to_marks
from parable.kinds.proverb.statistics import narrative_counts
from parable.kinds.published import Published
from parable.kinds.question import Released
from parable.sentences import gettext_noop as _


def value(item: Released) -> Narrative:
    """The narrative with its proverb and pairs."""
    own = item.get("own") or {}
    pairs = from_marks(read_groups(own.get(ALIGNMENT)))
    return Narrative(item["id"], item["story"], own.get(NARRATIVE, ""), pairs)


def fields(record: Narrative) -> Mapping[str, Any]:
    """What the record says of an item; its story is the proverb, which `Q12` of an id `Q12N3` names."""
    pairs = write_groups(to_marks(record))
    return {
        "id": record.id,
        "story_id": record.id.rpartition("N")[0] or record.proverb,
        "story": record.proverb,
        "language": "en",
        "own": {NARRATIVE: record.text} | ({ALIGNMENT: pairs} if pairs else {}),
    }


NARRATIVE_FILES: Final = Published(
    layouts=("epic-narratives",),
    file="full_dataset_{split}.json",
    value=value,
    fields=fields,
    count=narrative_counts,
    figures=MappingProxyType(
        {
            "proverbs": _("proverbs"),
            "by_pairs": _("narratives by aligned pairs"),
            "vocabulary": _("different words"),
            "bigrams": _("different bigrams"),
            "trigrams": _("different trigrams"),
            "tokens": _("words in a narrative"),
            "pairs_per_narrative": _("aligned pairs in a narrative"),
            "proverb_span": _("words in a span of a proverb"),
            "narrative_span": _("words in a span of a narrative"),
        }
    ),
)
