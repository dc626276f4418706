r"""GIFT: escapes, weights, gaps, comments and HTML as Moodle has them; what is no item is named."""

import random

import pytest

from parable.formats import english_with_place, read_items
from parable.formats.foreign.gift import FORMAT
from parable.formats.items import FORMATS
from parable.formats.limits import ANYBODYS
from parable.formats.records import ItemRecord, Reading


def read(text: str, format: str = "auto") -> Reading[ItemRecord]:  # noqa: A002 - as read_items calls it
    return read_items(text.encode(), name="t.gift", rules=ANYBODYS, format=format)


@pytest.mark.parametrize(
    ("text", "question", "choices", "key"),
    [
        ("Who? {=a ~b}", "Who?", ("a", "b"), 0),
        ("::q:: Who?{\n~ a\n= b\n}", "Who?", ("a", "b"), 1),
        ("::q::[moodle]谁？{~甲#错 =乙#对}", "谁？", ("甲", "乙"), 1),
        (r"Is 1 \= 1\: \{x\}? {=\~50\% ~b\#1}", "Is 1 = 1: {x}?", (r"~50\%", "b#1"), 0),
        (r"A fox.\n\nWho\\? {=a\nb ~c}", "A fox.\n\nWho\\?", ("a\nb", "c"), 0),
        ("Grant is {~buried =entombed} here.", "Grant is _____ here.", ("buried", "entombed"), 1),
        ("Which? {~%-50%a ~%100%b ~%0%c}", "Which?", ("a", "b", "c"), 1),
        ("Which? {=a ~%50%b}", "Which?", ("a", "b"), 0),
        ("::q::全角｛｝＝～。{=全～ ~角}", "全角｛｝＝～。", ("全～", "角"), 0),
        ("::q::[html]<p>Who&nbsp;is<br>it?</p> {=<b>a</b> ~b &amp; c}", "Who is\nit?", ("a", "b & c"), 0),
        ("::q::Is a < b? <c> {=yes ~no}", "Is a < b? <c>", ("yes", "no"), 0),
        ("::q::Who<br>is it? {=<b>a</b> ~b}", "Who\nis it?", ("a", "b"), 0),
        ("::q::[plain]<b>Who</b>? {=<i>a</i> ~b}", "<b>Who</b>?", ("<i>a</i>", "b"), 0),
        ("::q::[html]Who? {=%50% off ~[plain]<b> ~%0%%5% on}", "Who?", ("%50% off", "<b>", "%5% on"), 0),
        ("::q::Who? {~a =A}", "Who?", ("a", "A"), 1),
        ("::q::The sky is green. {F#No.}", "The sky is green.", ("True", "False"), 1),
        ("::q::天是蓝的。{TRUE}", "天是蓝的。", ("正确", "错误"), 0),
    ],
)
def test_a_question_is_read_as_moodle_reads_it(
    text: str, question: str, choices: tuple[str, ...], key: int
) -> None:
    found = read(text, "gift")
    assert found.errors == ()
    assert [(one.question, one.choices, one.answer) for one in found.records] == [(question, choices, key)]


def test_several_options_with_weight_are_several_answers() -> None:
    (item,) = read("::q::Which are even? {~%50%2 ~%-100%3 ~%50%4}").records
    assert (item.choices, item.answers, item.answer) == (("2", "3", "4"), (0, 2), None)


def test_two_right_options_of_a_question_with_one_answer_are_not_guessed() -> None:
    found = read("::q::Which? {=a =b ~c}")
    assert any("more than one option" in english_with_place(one) for one in found.remarks)
    assert [one.answer for one in found.records] == [None]


FILE = """// a comment
$CATEGORY: $course$/Fables

// [id:crow 1] [tag:fable]
::Q1::Who? {=a#well done ~b ####Because.}

::Q2::Who wrote? {=Aesop}

::Q3::Match. {=a -> b =c -> d}

::Q4::How many? {#3:1}

::Q5::Write. {}

Only words.

::Q1::[html]<img src="x.png" alt="a crow">What is it? {~a =b}
"""


def test_what_is_no_item_and_what_is_lost_is_named_with_its_line() -> None:
    found = read(FILE)
    assert found.errors == ()
    assert [(one.id, one.question, one.explanation) for one in found.records] == [
        ("crow 1", "Who?", "Because."),
        ("t-17", "[a crow]What is it?", None),
    ]
    said = {(one.field, one.row, one.code.value) for one in found.remarks}
    assert said >= {
        ("short answer", 7, "kind_not_read"),
        ("matching", 9, "kind_not_read"),
        ("numerical", 11, "kind_not_read"),
        ("essay", 13, "kind_not_read"),
        ("description", 15, "kind_not_read"),
        ("question", 17, "markup_lost"),
        ("category", 1, "unread_column"),
        ("feedback", 1, "unread_column"),
        ("tags", 1, "unread_column"),
    }


def test_names_are_ids_where_each_question_has_its_own() -> None:
    text = "::{0}::Who? {{=a ~b}}\n\n::{1}::Whom? {{=a ~b}}\n"
    assert [one.id for one in read(text.format("x", "y")).records] == ["x", "y"]
    assert [one.id for one in read(text.format("x", "x")).records] == ["t-1", "t-3"]


@pytest.mark.parametrize(
    "text",
    [
        "question,A,B,answer\nf(x) = {y},a,b,A\n",
        "Some words.\n\nOther words.\n",
        '{"question": "{=a ~b}"}\n',
        "{}",
    ],
)
def test_other_files_are_not_taken_for_it(text: str) -> None:
    assert read(text).format != "gift"


def test_a_story_with_blank_lines_and_signs_comes_back_apart_from_its_stem() -> None:
    story = "A crow::found = a {jug}.\n\n// It ~ drank \\n #1.\n\nEnd."
    items = [
        ItemRecord(
            r"a]\1",
            "commonsense",
            None,
            "",
            story,
            "Who?\n\nWho drank?",
            ("%50%", "b"),
            0,
            explanation="x\ny",
        ),
        ItemRecord("a2", "true_false", None, "", story, "It drank.", ("True", "False"), 1),
        ItemRecord(
            "a3", "multiple", None, "", story, "Which?", ("a", "b", "c", "d"), None, answers=(0, 1, 3)
        ),
    ]
    writer = FORMATS["gift"].writer
    assert writer is not None
    found = read(writer.whole(items).decode())
    assert found.errors == ()
    for one, other in zip(found.records, items, strict=True):
        for name in ("id", "task", "story", "question", "choices", "answer", "answers", "explanation"):
            assert getattr(one, name) == getattr(other, name), name


def test_an_order_is_refused() -> None:
    assert FORMAT.writer is not None
    with pytest.raises(ValueError, match="cannot say"):
        FORMAT.writer.whole(
            [ItemRecord("1", "ordering", None, "", "", "Order.", ("a", "b"), None, answers=(1, 0))]
        )


def test_a_long_line_of_signs_takes_no_square_of_its_length() -> None:
    for text in ("{" * 200_000, "\\" * 200_001, "::" * 100_000, "{=" * 100_000, "~" * 200_000):
        assert read(f"::q:: {text}", "gift").records == ()


SIGNS = [*"ab 狐=~#{}:\\%/-><[]n05\"'&;$", "\n", "::", "->", "####", "//", "[html]", "%50%", "  "]


def test_words_of_any_signs_come_back_as_they_were() -> None:
    chance = random.Random(7)  # noqa: S311

    def words(most: int) -> str:
        drawn = chance.choices(SIGNS, k=chance.randint(1, most))
        return "".join(["a", *drawn, "b"]) if chance.random() < 0.5 else "".join([*drawn, "b"]).strip()

    items = [
        ItemRecord(
            f"i{number}", "commonsense", None, "", words(20) if number % 2 else "", words(15),
            tuple(dict.fromkeys([words(9), words(9), words(9) + "c", "A"])), 0, explanation=words(9),
        )
        for number in range(300)
    ]  # fmt: skip
    assert FORMAT.writer is not None
    found = read(FORMAT.writer.whole(items).decode(), "gift")
    assert found.errors == ()
    told = [(one.story, one.question, one.choices, one.answer, one.explanation) for one in found.records]
    assert told == [(one.story, one.question, one.choices, one.answer, one.explanation) for one in items]
