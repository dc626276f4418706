"""What a call asks and what it may cost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from jobs.pricing import USUAL_OUTPUT_TOKENS, cost, fingerprint, most_it_may_cost, output_tokens


def test_it_gives_the_same_question_the_same_fingerprint_whatever_its_order() -> None:
    assert fingerprint({"a": 1, "b": {"c": 2, "d": 3}}) == fingerprint({"b": {"d": 3, "c": 2}, "a": 1})


@pytest.mark.parametrize(
    ("other", "repeat"), [({"a": 2}, 0), ({"a": "1"}, 0), ({"a": 1, "b": None}, 0), ({"a": 1}, 1)]
)
def test_it_distinguishes_other_questions_and_deliberate_repetitions(
    other: dict[str, object], repeat: int
) -> None:
    assert fingerprint({"a": 1}) != fingerprint(other, repeat)


def test_it_counts_prices_per_million_and_rounds_up() -> None:
    price = {"price_in": Decimal("0.5"), "price_out": Decimal(2)}
    assert cost(tokens_in=1_000_000, tokens_out=500_000, **price) == Decimal("1.5")
    assert cost(tokens_in=1, tokens_out=0, **price) == Decimal("0.000001")


@pytest.mark.parametrize(
    ("parameters", "tokens"),
    [
        ({}, USUAL_OUTPUT_TOKENS),
        ({"max_tokens": 50}, 50),
        ({"max_completion_tokens": 40, "max_tokens": 50}, 40),
        ({"max_tokens": "many"}, USUAL_OUTPUT_TOKENS),
        ({"max_tokens": True}, USUAL_OUTPUT_TOKENS),
        ({"max_tokens": 0}, USUAL_OUTPUT_TOKENS),
    ],
)
def test_it_believes_the_limit_of_output_that_the_parameters_set(
    parameters: dict[str, object], tokens: int
) -> None:
    assert output_tokens(parameters) == tokens
    held = most_it_may_cost("", parameters, price_in=Decimal(0), price_out=Decimal(1_000_000))
    assert held == tokens
