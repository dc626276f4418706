"""The interval of a share: that of independent answers where stories are alike, wider where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from parable.psychometrics.bootstrap import wilson_interval
from parable.psychometrics.results.clusters import share
from parable.psychometrics.results.estimates import Estimate


def of_stories(*right: int, n: int = 20) -> Estimate:
    """The share of stories of `n` answers with so many right each."""
    values = np.concatenate([np.repeat([1.0, 0.0], [one, n - one]) for one in right])
    return share(values, np.repeat(np.arange(len(right)), n))


def test_stories_that_are_all_alike_have_the_interval_of_independent_answers() -> None:
    """Wilson's of 80 right of 100, 71 to 87 %; it was 26 to 98 %."""
    found = of_stories(16, 16, 16, 16, 16)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.7112, 0.8666), abs=0.0001)
    assert of_stories(16, 16).low == pytest.approx(wilson_interval(32, 40)[0])


def test_stories_that_differ_by_chance_alone_have_it_too_and_others_a_wider_one() -> None:
    alike, by_chance, apart = (
        of_stories(*right) for right in ((16,) * 5, (15, 17, 16, 14, 18), (20, 20, 20, 12, 8))
    )
    assert (by_chance.low, by_chance.high) == (alike.low, alike.high)
    assert apart.value == alike.value
    assert apart.low is not None
    assert apart.high is not None
    assert (apart.low, apart.high) < (0.5, 1.0)
    assert apart.high > (alike.high or 1.0)


def test_where_all_or_none_are_right_only_stories_count() -> None:
    found = [of_stories(*right) for right in ((20,) * 5, (0,) * 5)]
    assert found[0].low == pytest.approx(1 - (found[1].high or 0))
    assert found[0].low == pytest.approx(wilson_interval(5, 5, level=0.99449)[0], abs=0.001)


def test_askings_of_one_item_that_agree_are_no_further_answers() -> None:
    """Three askings of each of 100 items, answered alike each time: as sure as one asking."""
    right = np.repeat(np.tile([1.0, 1.0, 1.0, 1.0, 0.0], 20), 3)
    items, stories = np.repeat(np.arange(100), 3), np.repeat(np.arange(5), 60)
    found = share(right, stories, items)
    assert (found.low, found.high) == pytest.approx(wilson_interval(80, 100))
    assert share(right, stories).low == pytest.approx(wilson_interval(240, 300)[0])
