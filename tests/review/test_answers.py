"""What an answer keeps: which option was chosen, where it stood, and which revision's options were asked."""

from __future__ import annotations

import pytest

from review.models import Answer, Stage
from review.services import claim_next, solve
from tests.factories import Cast, make_project, submit_item

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("position", range(4))
def test_it_keeps_the_option_and_its_place_in_the_drawn_order(cast: Cast, position: int) -> None:
    submit_item(make_project())  # options of other items are before and after these
    item = submit_item(cast)
    submit_item(make_project())
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=position)
    review.refresh_from_db()
    assert review.chosen_position == position
    assert review.chosen_option is not None
    assert review.chosen_option.revision == item.current
    assert review.chosen_option.position == request.drawn_order[position]
    assert review.is_correct == review.chosen_option.is_key
