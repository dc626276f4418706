"""Pairs of texts that differ in one place: whether both can describe the same scene, and why."""

from collections.abc import Mapping
from typing import Final

from parable.kinds.base import Kind, Scale
from parable.kinds.scene.question import SCENE_QUESTION
from parable.kinds.scene.record import SAME, SCENE_FILES
from parable.kinds.scene.scorer import HIGHEST_GRADE, RATERS
from parable.sentences import gettext_noop as _

BARE: Final = 3
"""The grade of a reason that only names the difference: from it on a reason is good."""


def score_answer(given: object, right: object) -> float:
    """1 where the judgement is the right one; what its reason is worth, people say."""
    judged = [one.get(SAME) if isinstance(one, Mapping) else None for one in (given, right)]
    return float(judged[0] == judged[1] and isinstance(judged[0], bool))


SCENES: Final = Kind(
    code="scene_pairs",
    name=_("same scene or not"),
    item_name=_("Scene item"),
    items_name=_("Scene items"),
    brief=_("Change one place of the text, decide whether both texts can be said of one scene, and say why."),
    answer="own",
    own_question=SCENE_QUESTION,
    scorer=score_answer,
    has_options=False,
    has_stem=False,
    published=SCENE_FILES,
    requires_explanation=True,
    scale=Scale(
        low=0,
        high=HIGHEST_GRADE,
        passes=BARE,
        names=(
            _("no reason"),
            _("not about space"),
            _("about another scene"),
            _("the bare difference"),
            _("the scene, by rewording the difference"),
            _("the scene, by knowledge from outside the text"),
        ),
        raters=RATERS,
    ),
)
