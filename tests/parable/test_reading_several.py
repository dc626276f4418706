"""What is read of answers that name several options, or an order: leniently and strictly, never guessed."""

from __future__ import annotations

import string

import pytest
import scipy

from parable.kinds import KINDS, kind_of
from parable.kinds.ordering import kendall_tau
from parable.kinds.question import SEVERAL_OPTIONS
from parable.reading.several import (
    SeveralReading,
    read_order,
    read_order_strictly,
    read_several,
    read_several_strictly,
)
from tests.costs import multiple

OPTIONS = ["The crow sees the jar", "It drops pebbles", "The water rises", "It drinks"]


@pytest.mark.parametrize(
    ("text", "outcome", "choices", "strictly"),
    [
        ("AC", "chosen", (0, 2), (0, 2)),
        ("CA", "chosen", (0, 2), (0, 2)),
        ("A, C", "chosen", (0, 2), (0, 2)),
        ("A、C", "chosen", (0, 2), (0, 2)),
        ("a c", "chosen", (0, 2), (0, 2)),
        ("A", "chosen", (0,), (0,)),
        ("ABCD", "chosen", (0, 1, 2, 3), (0, 1, 2, 3)),
        ("Answers: A and C", "chosen", (0, 2), ()),
        ("The correct options are A, B and D.", "chosen", (0, 1, 3), ()),
        ("答案：AC", "chosen", (0, 2), ()),
        ("A: correct. B: wrong. C: correct. D: wrong.", "chosen", (0, 2), ()),
        ("B because it says so; D as well", "chosen", (1, 3), ()),
        ("It drops pebbles and it drinks", "chosen", (1, 3), ()),
        ("<think>ABCD</think>BD", "chosen", (1, 3), (1, 3)),
        ("AA", "unparsed", (), ()),
        ("AE", "unparsed", (), ()),
        ("None", "unparsed", (), ()),
        ("", "unparsed", (), ()),
        ("I cannot answer.", "refused", (), ()),
    ],
)
def test_it_reads_which_options_are_taken_for_right(
    text: str, outcome: str, choices: tuple[int, ...], strictly: tuple[int, ...]
) -> None:
    read = read_several(text, OPTIONS)
    assert (read.outcome, read.choices) == (outcome, choices)
    assert read_several_strictly(text, 4).choices == strictly


@pytest.mark.parametrize(
    ("text", "outcome", "choices", "strictly"),
    [
        ("BDAC", "chosen", (1, 3, 0, 2), (1, 3, 0, 2)),
        ("b, d, a, c.", "chosen", (1, 3, 0, 2), (1, 3, 0, 2)),
        ("B -> D -> A -> C", "chosen", (1, 3, 0, 2), (1, 3, 0, 2)),
        ("(B) (D) (A) (C)", "chosen", (1, 3, 0, 2), (1, 3, 0, 2)),
        ("The order is B, D, A, C.", "chosen", (1, 3, 0, 2), ()),
        ("1. B\n2. D\n3. A\n4. C", "chosen", (1, 3, 0, 2), ()),
        ("正确顺序应为 B→D→A→C。", "chosen", (1, 3, 0, 2), ()),
        ("Given A, B, C, D, the right order is: D, C, B, A", "chosen", (3, 2, 1, 0), ()),
        ("The crow sees the jar, it drops pebbles, the water rises, it drinks.", "chosen", (0, 1, 2, 3), ()),
        ("<think>ABCD</think>BDAC", "chosen", (1, 3, 0, 2), (1, 3, 0, 2)),
        ("ABCD or BDAC", "ambiguous", (), ()),
        ("B, D, A", "unparsed", (), ()),
        ("BDAA", "unparsed", (), ()),
        ("BDACE", "unparsed", (), ()),
        ("", "unparsed", (), ()),
        ("I cannot answer.", "refused", (), ()),
    ],
)
def test_it_reads_an_order_where_every_option_is_named_once(
    text: str, outcome: str, choices: tuple[int, ...], strictly: tuple[int, ...]
) -> None:
    read = read_order(text, OPTIONS)
    assert (read.outcome, read.choices) == (outcome, choices)
    assert read_order_strictly(text, 4).choices == strictly


@pytest.mark.parametrize("part", ["A . ", "A, ", "A -> ", "order: A B ", "1. A\n", " "])
def test_it_reads_any_length_in_bounded_work(part: str) -> None:
    """Ten times the text takes no more than some thirty times the work: nothing tries all ways to split."""

    def read(text: str) -> None:
        read_order(text, OPTIONS)
        read_several(text, OPTIONS)

    read(part)
    assert multiple(lambda: read(part * 2000), lambda: read(part * 200)) < 30


def test_it_counts_released_positions_where_options_were_shown_otherwise() -> None:
    item = {"choices": OPTIONS, "answers": [0, 2], "task": "multiple"}
    read = SEVERAL_OPTIONS.read("AB", item, (2, 0, 1, 3))
    assert (read.given, read.strict) == ([0, 2], [0, 2])
    read = kind_of("ordering").question.read("BACD", item, (2, 0, 1, 3))
    assert read.given == [0, 2, 1, 3]


@pytest.mark.parametrize("given", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 2, 3], [2, 3, 0, 1], [3, 0, 2, 1]])
def test_its_tau_is_that_of_kendall(given: list[int]) -> None:
    right = [2, 0, 3, 1]
    places = [[order.index(one) for one in range(4)] for order in (given, right)]
    assert kendall_tau(given, right) == pytest.approx(scipy.stats.kendalltau(*places).statistic)


def test_no_answer_counts_as_much_as_orders_drawn_by_chance() -> None:
    assert kendall_tau(None, [0, 1, 2]) == 0
    assert (kendall_tau([0, 1, 2], [0, 1, 2]), kendall_tau([2, 1, 0], [0, 1, 2])) == (1, -1)


@pytest.mark.parametrize(
    ("task", "chance", "right", "said"),
    [
        ("commonsense", 1 / 4, 2, "C"),
        ("multiple", 1 / 15, [0, 2], "AC"),
        ("ordering", 1 / 24, [1, 3, 0, 2], "BDAC"),
    ],
)
def test_each_kind_knows_its_chance_and_its_answer(
    task: str, chance: float, right: object, said: str
) -> None:
    item = {"choices": OPTIONS, "answer": 2, "answers": right, "task": task, "story": "S", "question": "Q"}
    question = kind_of(task).question
    assert (question.chance(item), question.right(item), question.words(item)) == (chance, right, said)
    assert question.is_answer(right, item)
    assert not question.is_answer([4], item)
    prompt = question.put(question.template("en"), item, range(4))
    assert "B. It drops pebbles" in prompt
    assert all(kind.question.wanted for kind in KINDS.values())


@pytest.mark.parametrize("count", [4, 8, 9, 26])
@pytest.mark.parametrize("sign", [", ", "、", " > ", " ", "-"])
def test_letters_are_read_of_as_many_options_as_items_have(count: int, sign: str) -> None:
    options = [f"thing {number} of them" for number in range(count)]
    letters = string.ascii_uppercase[:count][::-1]
    right = tuple(range(count))[::-1]
    numbered = "".join(f"{place}. {letter}\n" for place, letter in enumerate(letters, start=1))
    for said in (f"The order is {sign.join(letters)}.", f"Answer: {letters}", numbered):
        assert read_order(said, options) == SeveralReading("chosen", right), said
    assert read_order_strictly(sign.join(letters), count) == SeveralReading("chosen", right)
    assert read_order(f"Answer: {sign.join(letters[:-1])}", options).outcome == "unparsed"
    two = f"{letters[1]}, {letters[0]}"
    for read in (read_several(f"Answer: {two}", options), read_several_strictly(two, count)):
        assert read == SeveralReading("chosen", (count - 2, count - 1))


@pytest.mark.parametrize("word", ["yes", "thing", "Bold", "nope", "GLAD", "a word"])
def test_a_word_is_no_list_of_letters_where_there_are_many_options(word: str) -> None:
    assert read_several_strictly(word, 26) == SeveralReading("unparsed")
    assert read_several_strictly("BDZ", 26) == SeveralReading("chosen", (1, 3, 25))
