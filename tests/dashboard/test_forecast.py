"""The forecast and the quantiles of the overview: tables of counts and what they come to."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dashboard.forecast import (
    LEAST_DAYS,
    LEAST_ITEMS,
    MOST_DAYS,
    PACE_DAYS,
    Forecast,
    Unknown,
    forecast,
    items_left,
    quantile,
)

EVEN = [5] * 14
WEEKENDS_OFF = [7, 7, 7, 7, 7, 0, 0] * 2


def test_the_thresholds() -> None:
    assert (PACE_DAYS, LEAST_ITEMS, LEAST_DAYS, MOST_DAYS) == (14, 20, 5, 730)


@pytest.mark.parametrize(
    ("verified", "left", "days"),
    [
        (EVEN, 100, (17, 25)),
        (EVEN, 1000, (173, 238)),
        (EVEN, 1, (1, 1)),
        (WEEKENDS_OFF, 500, (81, 131)),
        ([0] * 9 + [4] * 5, 100, (46, 141)),
    ],
)
def test_the_end_is_an_interval_that_is_wider_the_more_uneven_the_days(
    verified: Sequence[int], left: int, days: tuple[int, int]
) -> None:
    found = forecast(verified, left)
    assert isinstance(found, Forecast)
    assert (found.earliest, found.latest) == days
    assert found.pace == sum(verified) / 14


@pytest.mark.parametrize(
    ("verified", "left", "why"),
    [
        (EVEN, 0, Unknown.DONE),
        ([0] * 14, 0, Unknown.DONE),
        ([0] * 14, 9, Unknown.TOO_LITTLE),
        ([0] * 9 + [4, 4, 4, 4, 3], 9, Unknown.TOO_LITTLE),  # 19 items
        ([0] * 10 + [5, 5, 5, 5], 9, Unknown.TOO_LITTLE),  # 20 items on 4 days
        ([0] * 9 + [1, 1, 1, 1, 96], 9, Unknown.TOO_UNEVEN),
        (EVEN, 3086, Unknown.TOO_UNEVEN),  # 731 days
    ],
)
def test_there_is_none_where_the_days_do_not_carry_one(
    verified: Sequence[int], left: int, why: Unknown
) -> None:
    assert forecast(verified, left) == why


def test_two_years_are_the_latest_end_and_another_window_is_an_error() -> None:
    found = forecast(EVEN, 3085)
    assert isinstance(found, Forecast)
    assert found.latest == 730
    with pytest.raises(ValueError, match="13"):
        forecast(EVEN[1:], 9)


@pytest.mark.parametrize(
    ("planned", "counted", "left"),
    [
        (100, {"verified": 30}, 70),
        (100, {"verified": 30, "rejected": 9, "withdrawn": 9, "retired": 9}, 70),
        (10, {"verified": 30}, 0),
        (30, {"verified": 30, "in_review": 1, "returned": 2, "in_verification": 3, "in_adjudication": 4}, 10),
        (100, {"verified": 30, "in_review": 60}, 70),
    ],
)
def test_what_is_left_is_what_the_plan_lacks_or_what_is_under_way(
    planned: int, counted: dict[str, int], left: int
) -> None:
    states = ("in_review", "returned", "in_verification", "in_adjudication", "verified")
    assert items_left(planned, dict.fromkeys(states, 0) | counted) == left


@pytest.mark.parametrize(
    ("values", "share", "value"),
    [
        ([7], 0.9, 7),
        ([1, 2], 0.5, 1.5),
        ([3, 1, 2], 0.5, 2),
        (range(11), 0.9, 9),
        ([0, 10], 0.9, 9),
        ([4, 8], 1, 8),
    ],
)
def test_a_quantile_lies_between_two_values_in_proportion(
    values: Sequence[float], share: float, value: float
) -> None:
    assert quantile(values, share) == value


def test_nothing_has_no_quantile() -> None:
    with pytest.raises(ValueError, match=r"0\.5"):
        quantile([], 0.5)
