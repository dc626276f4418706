"""Narratives that illustrate a proverb, with aligned spans."""

from collections.abc import Mapping
from typing import Final

from parable.kinds.base import Kind, Scale
from parable.kinds.comparison import AGREES_FROM
from parable.kinds.mark_json import read_groups
from parable.kinds.marks import ALIGNMENT
from parable.kinds.proverb.content import CRITERIA, SCALE
from parable.kinds.proverb.marks import score
from parable.kinds.proverb.question import NARRATIVE_QUESTION
from parable.kinds.proverb.record import NARRATIVE_FILES
from parable.sentences import gettext_noop as _

LEAST_GOOD: Final = 3
"""From this mark on a narrative counts as good: the middle leans to the good side."""


def score_answer(given: object, right: object) -> float:
    """F1 of an alignment in our own JSON, by token sets."""
    groups = [read_groups(one.get(ALIGNMENT)) if isinstance(one, Mapping) else () for one in (right, given)]
    return score(*groups)


NARRATIVES: Final = Kind(
    code="proverb_narratives",
    name=_("narratives"),
    item_name=_("Narrative"),
    items_name=_("Narratives"),
    brief=_("Write a narrative that shows what the proverb means, without its words."),
    answer="own",
    own_question=NARRATIVE_QUESTION,
    scorer=score_answer,
    agrees_from=AGREES_FROM,
    measure="f1",
    has_options=False,
    has_stem=False,
    published=NARRATIVE_FILES,
    is_owed=True,
    has_marks=True,
    scale=Scale(
        low=SCALE[0],
        high=SCALE[-1],
        passes=LEAST_GOOD,
        criteria=CRITERIA,
        ends={
            "relatedness": (_("unrelated to the proverb"), _("perfectly related")),
            "interesting": (_("boring"), _("creative, like a story")),
            "fluency": (_("poor language"), _("no errors")),
            "overall": (_("lowest"), _("highest")),
        },
    ),
)
