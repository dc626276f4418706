"""Texts about space: who is where, at what time, through what event, as tuples."""

from collections.abc import Mapping
from typing import Any, Final

from parable.kinds.base import Kind
from parable.kinds.comparison import AGREES_FROM
from parable.kinds.mark_json import read_groups
from parable.kinds.marks import ANSWER, COREFERENCE
from parable.kinds.step.marks import score
from parable.kinds.step.question import STEP_QUESTION
from parable.kinds.step.record import STEP_FILES
from parable.sentences import gettext_noop as _


def score_answer(given: object, right: object) -> float:
    """F1 of an answer in our own JSON, as the published scorer ranks it."""
    wanted: Mapping[str, Any] = right if isinstance(right, Mapping) else {}
    found: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    corefs = read_groups(wanted.get(COREFERENCE))
    return score(read_groups(wanted.get(ANSWER)), read_groups(found.get(ANSWER)), corefs)


STEP: Final = Kind(
    code="step_tuples",
    name=_("spatial tuples"),
    item_name=_("Spatial tuples item"),
    items_name=_("Spatial tuples items"),
    brief=_(
        "Make a tuple for each thing that the text says of a place, a movement, a direction or a distance, "
        "and mark its words by their roles. Then mark which words name the same entity."
    ),
    answer="own",
    own_question=STEP_QUESTION,
    scorer=score_answer,
    agrees_from=AGREES_FROM,
    measure="f1",
    has_options=False,
    has_stem=False,
    published=STEP_FILES,
    exposed_by_story=True,
    has_marks=True,
)
