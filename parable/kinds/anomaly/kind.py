"""Texts whose scene is wrong: which words make it so."""

from collections.abc import Mapping
from typing import Final

from parable.kinds.anomaly.marks import score
from parable.kinds.anomaly.question import ANOMALY_QUESTION
from parable.kinds.anomaly.record import ANOMALY_FILES
from parable.kinds.base import Kind
from parable.kinds.comparison import AGREES_FROM
from parable.kinds.mark_json import read_groups
from parable.kinds.marks import ANSWER
from parable.sentences import gettext_noop as _


def score_answer(given: object, right: object) -> float:
    """F1 of an answer in our own JSON, as the published scorer ranks it."""
    groups = [read_groups(one.get(ANSWER)) if isinstance(one, Mapping) else () for one in (right, given)]
    return score(*groups)


ANOMALY: Final = Kind(
    code="anomaly_spans",
    name=_("spatial anomaly"),
    item_name=_("Anomaly item"),
    items_name=_("Anomaly items"),
    brief=_(
        "Mark the words that cannot be true of one scene: the entity, the place and the event that ties "
        "them; where two places of the text contradict each other, both. Another way to see it is another "
        "alternative."
    ),
    answer="own",
    own_question=ANOMALY_QUESTION,
    scorer=score_answer,
    agrees_from=AGREES_FROM,
    measure="f1",
    has_options=False,
    has_stem=False,
    published=ANOMALY_FILES,
    exposed_by_story=True,
    has_marks=True,
)
