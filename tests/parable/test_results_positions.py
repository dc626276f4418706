"""Whether a model prefers a position: certain where it always or never chooses one, rare by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from parable.psychometrics.results.positions import Preference, position_preference
from parable.psychometrics.results.sheets import Answer, ItemFact, Items, make_sheet

Choose = Callable[[tuple[int, ...]], int]


def preference(
    choose: Choose, *, order: str, stories: int, options: int = 4, per_story: int = 5
) -> Preference | None:
    """The preference of a model that chooses by the order shown; the key of every item is its option 0."""
    rng = np.random.default_rng(11)
    items = Items(
        ItemFact(f"s{story}-{number}", "moral", f"s{story}", 0, options)
        for story in range(stories)
        for number in range(per_story)
    )

    def orders() -> Iterator[tuple[int, ...]]:
        if order == "circular":
            yield from (tuple((at + turn) % options for at in range(options)) for turn in range(options))
        else:
            yield tuple(rng.permutation(options).tolist())

    answers = [
        Answer(fact.id, "chosen", choose(shown), rotation=turn, order=shown)
        for fact in items.facts
        for turn, shown in enumerate(orders())
    ]
    return position_preference(make_sheet("m", items, answers), items, items.is_one)


def p_value(
    choose: Choose, *, order: str, stories: int, options: int = 4, per_story: int = 5
) -> float | None:
    found = preference(choose, order=order, stories=stories, options=options, per_story=per_story)
    assert found is not None
    return found.p_value


@pytest.mark.parametrize("order", ["circular", "shuffled"])
@pytest.mark.parametrize("options", [2, 3, 4])
@pytest.mark.parametrize("stories", [1, 2, 5, 40])
def test_a_model_that_always_answers_a_prefers_it_for_certain(order: str, options: int, stories: int) -> None:
    found = p_value(lambda shown: shown[0], order=order, options=options, stories=stories, per_story=20)
    assert found is not None
    assert 0 < found < (1e-2 if stories == 1 else 1e-4)


def test_a_position_that_is_never_chosen_is_as_certain() -> None:
    """Seen before: no p for A, and p = .326 for A or B by turns."""
    rng = np.random.default_rng(5)
    a_or_b: Choose = lambda shown: shown[rng.integers(2)]  # noqa: E731
    found = [p_value(a_or_b, order=order, stories=20) for order in ("circular", "shuffled")]
    assert all(one is not None and one < 1e-6 for one in found)
    never_last: Choose = lambda shown: shown[rng.integers(3)] if shown[3] == 0 else 0  # noqa: E731
    assert (p_value(never_last, order="circular", stories=20) or 0) < 1e-6


@pytest.mark.parametrize("order", ["circular", "shuffled"])
def test_a_model_that_is_always_right_prefers_no_position(order: str) -> None:
    assert p_value(lambda _shown: 0, order=order, stories=20) == 1.0


def test_a_model_that_always_chooses_the_same_distractor_prefers_no_position() -> None:
    """Each of its options comes to every position once."""
    assert p_value(lambda _shown: 2, order="circular", stories=20) == 1.0


def test_an_answer_given_again_to_the_same_order_is_no_further_evidence() -> None:
    items = Items([ItemFact("i", "moral", "s", 0, 4)])
    once = [Answer("i", "chosen", 1, repeat=repeat, order=(1, 0, 2, 3)) for repeat in range(1, 9)]
    found = [position_preference(make_sheet("m", items, once[:n]), items, items.is_one) for n in (1, 8)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].p_value == found[1].p_value == 1.0


def test_without_a_preference_one_is_said_in_about_one_set_of_twenty() -> None:
    rng = np.random.default_rng(12)
    sets = 200
    by_chance: Choose = lambda _shown: int(rng.integers(4)) if rng.random() < 0.6 else 0  # noqa: E731
    found = [p_value(by_chance, order="shuffled", stories=8) for _ in range(sets)]
    assert 0.01 <= np.mean([one is not None and one < 0.05 for one in found]) <= 0.09
