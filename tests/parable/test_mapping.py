"""A mapping: what it says, what it refuses, and that a guess is never another reading than was meant."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parable.__main__ import main
from parable.formats import english, read_items
from parable.formats.layout_names import plain_name
from parable.formats.limits import ANYBODYS
from parable.formats.mapped_items import offer_mapping
from parable.formats.option_lists import read_option_list
from tests.foreign_layouts import FOUR, WHO, key, letter, lines

NAMES = ("wording", "w1", "w2", "w3", "w4", "sign", "tale")


def strange(*counted: object) -> bytes:
    """Rows under names that say nothing; `counted` are the keys."""
    return lines(
        *(
            dict(zip(NAMES, (one[1], *one[2], sign, one[0]), strict=True))
            for one, sign in zip(FOUR, counted, strict=True)
        )
    )


ALL = "stem=wording,options=w1..w4,story=tale,key=sign"
PLACES = [one[3] for one in FOUR]


@pytest.mark.parametrize(
    ("signs", "said", "places"),
    [
        ([letter(one) for one in FOUR], ALL, PLACES),
        ([letter(one) for one in FOUR], f"{ALL}@letter", PLACES),
        ([letter(one) for one in FOUR], ALL.replace("w1..w4", "w1+w2+w3+w4"), PLACES),
        ([key(one) for one in FOUR], f"{ALL}@text", PLACES),
        ([1, 2, 1, 2], f"{ALL}@0", [1, 2, 1, 2]),
        ([1, 2, 1, 2], f"{ALL}@1", [0, 1, 0, 1]),
        (["1", "2", "1.0", "2"], f"{ALL}@1", [0, 1, 0, 1]),
    ],
)
def test_a_mapping_says_where_each_part_is_and_how_the_key_counts(
    signs: list[object], said: str, places: list[int]
) -> None:
    reading = read_items(strange(*signs), name="t.jsonl", mapping=said)
    assert reading.errors == ()
    assert [one.answer for one in reading.records] == places
    assert [(one.story, one.question, one.choices) for one in reading.records] == [one[:3] for one in FOUR]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("stem=words", "The file has no column “words”. Its columns: wording, w1, w2, w3, w4, sign, tale."),
        ("options=w1..w5", "The file has no column “w5”."),
        ("shape=wording", "Cannot read “shape=wording”. Expected FIELD=COLUMN, FIELD:WORDS, with the fields"),
        ("wording", "Cannot read “wording”."),
        ("stem=", "Cannot read “stem=”."),
        ("id=w1+w2", "Cannot read “id=w1+w2”."),
        ("stem=wording", "The layout of the file is not certain. Missing: options."),
        ("options=w1..w4", "The layout of the file is not certain. Missing: stem. Its columns: wording, w1"),
        (
            "stem=wording,options=w1..w4,key=sign",
            "No column was recognised as the story. Its columns: wording",
        ),
        (f"{ALL}@text", "The answer “B” is the text of no option, or of several."),
        (ALL.replace("key=sign", "key=tale"), "does not name an option"),
    ],
)
def test_a_wrong_mapping_is_refused_in_a_sentence(said: str, sentence: str) -> None:
    reading = read_items(strange("B", "A", "D", "C"), name="t.jsonl", mapping=said)
    assert sentence in english(reading.errors[0])
    assert reading.records == ()


def test_a_letter_that_is_a_number_is_no_letter() -> None:
    reading = read_items(strange(1, 0, 3, 2), name="t.jsonl", mapping=f"{ALL}@letter")
    assert {one.code for one in reading.errors} == {"bad_answer"}


@pytest.mark.parametrize(
    ("row", "code", "missing"),
    [
        ({"context": WHO[0], "question": WHO[1], "endings": [*WHO[2]]}, "unmapped", "key"),
        ({"context": WHO[0], "endings": [*WHO[2]], "label": "B"}, "unmapped", "stem"),
        (
            {"context": WHO[0], "query": WHO[1], "label": "B", "variants": [*WHO[2]]},
            "unmapped",
            "options, key",
        ),
        (
            {"context": WHO[0], "question": WHO[1], "endings": [*WHO[2]], "gold": "A", "label": "B"},
            "rival_keys",
            None,
        ),
        ({"context": WHO[0], "question": WHO[1], "endings": [*WHO[2]], "label": 1}, "open_numbers", None),
        ({"query": WHO[1], "endings": [*WHO[2]], "label": "B"}, "story_missing", None),
    ],
)
def test_a_guess_that_is_not_certain_is_asked(row: dict[str, Any], code: str, missing: str | None) -> None:
    (error,) = read_items(lines(row, row), name="t.jsonl").errors
    assert (error.code.value, error.params.get("missing")) == (code, missing)


@pytest.mark.parametrize("options", ["Answer 1,Answer 2", "ending1,ending2", "Choices,Note"])
@pytest.mark.parametrize("is_import", [True, False])
def test_options_that_only_a_guess_finds_are_not_lost_with_the_key(options: str, is_import: bool) -> None:
    """Our own reader would take the stems and stories of this table, and drop what it has no name for."""
    first = "a crow|a fox" if "Choices" in options else "a crow"
    data = f"Story,Question,{options},Hit\nA crow.,Who?,{first},a fox,B\n".encode()
    rules = {} if is_import else {"rules": ANYBODYS}
    (error,) = read_items(data, name="t.csv", **rules).errors  # type: ignore[arg-type]
    assert (error.code.value, error.params.get("missing")) == ("unmapped", "key")


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Correct answer(s)", "correctanswer"),
        ("Correct Answer(s) (only the number)", "correctanswer"),
        ("正确答案（单选）", "正确答案"),
        ("(optional)", "(optional)"),
        ("f(x) value", "f(x)value"),
        ("above.Answer (key)", "answer"),
    ],
)
def test_a_remark_in_brackets_is_no_part_of_a_name(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("header", "story"),
    [
        ("sentence1,sentence2,Question,A,B,Answer", "A fox. It fell."),
        ("obs_1,obs_2,Question,A,B,Answer", "A fox. It fell."),
        ("sentence2,sentence1,Question,A,B,Answer", "It fell. A fox."),
        ("story,sentence1,Question,A,B,Answer", "A fox."),
        ("Title,sentence1,Question,A,B,Answer", ""),
    ],
)
def test_sentences_in_columns_of_their_own_are_a_story(header: str, story: str) -> None:
    data = f"{header}\nA fox.,It fell.,Who fell?,a hen,a fox,B\n".encode()
    (item,) = read_items(data, name="t.csv", rules=ANYBODYS).records
    assert (item.story, item.question, item.choices, item.answer) == (
        story,
        "Who fell?",
        ("a hen", "a fox"),
        1,
    )


def test_two_columns_that_name_one_option_are_no_rivals() -> None:
    rows = [
        {
            "context": one[0],
            "question": one[1],
            "endings": [*one[2]],
            "answer_idx": one[3],
            "answer": key(one),
        }
        for one in FOUR
    ]
    reading = read_items(lines(*rows), name="t.jsonl")
    assert (reading.errors, [one.answer for one in reading.records]) == ((), PLACES)


def test_what_was_guessed_is_said_once() -> None:
    data = lines({"context": WHO[0], "query": WHO[1], "endings": [*WHO[2]], "gold": "B"})
    said = [english(remark) for remark in read_items(data, name="t.jsonl").remarks]
    assert said == ["The file is read as: story=context, stem=query, options=endings, key=gold."]


def test_an_audit_takes_a_mapping(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "strange.jsonl"
    path.write_bytes(strange("B", "A", "D", "C"))
    assert main(["audit", str(path)]) == 2
    assert main(["audit", str(path), "--map", ALL, "--json"]) in {0, 1}
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["items"] == 4
    assert main(["audit", str(path), "--map", "stem=nothing"]) == 2
    assert "The file has no column “nothing”." in capsys.readouterr().err


def test_a_page_shows_three_rows_and_no_value_that_may_be_a_key() -> None:
    rows = [
        {
            "context": one[0], "question": one[1], "label": one[3], "exp": f"It is {key(one)}.",
            "spare": letter(one),
            "options": [{"text": text, "isCorrect": index == one[3]} for index, text in enumerate(one[2])],
        }
        for one in FOUR
    ]  # fmt: skip
    offer = offer_mapping(lines(*rows))
    assert offer is not None
    shown = {name: values for name, values in offer.samples.items() if any(values)}
    assert {*shown} == {"context", "question", "options"}
    assert shown["options"][0] == " / ".join(WHO[2])
    assert [len(values) for values in shown.values()] == [3, 3, 3]


@pytest.mark.parametrize(
    ("value", "options", "right"),
    [
        (["a", "b"], ("a", "b"), ()),
        ({"B": "b", "A": "a"}, ("a", "b"), ()),
        ([{"A": "a"}, {"B": "b"}], ("a", "b"), ()),
        ([{"text": "a", "correct": False}, {"text": "b", "correct": True}], ("a", "b"), (1,)),
        ([{"key": "A", "value": "a"}, {"key": "B", "value": "b"}], ("a", "b"), ()),
        ({"text": ["a", "b"], "label": ["A", "B"]}, ("a", "b"), ()),
        ({"choices": ["a", "b"], "labels": [0, 1]}, ("a", "b"), (1,)),
        ({"a": 0, "b": 1}, ("a", "b"), (1,)),
        ({"a": 0.0, "b": 1.0}, ("a", "b"), (1,)),
        ("A. one B. two", ("one", "two"), ()),
        ("a ) 38 , b ) 27", ("38", "27"), ()),
        ("（A）一（B）二", ("一", "二"), ()),
        ("['a', \"b's\"]", ("a", "b's"), ()),
        ('["a", "b"]', ("a", "b"), ()),
        ("a|b", ("a", "b"), ()),
        ([3, 2.5], ("3", "2.5"), ()),
    ],
)
def test_options_in_one_field_are_read(
    value: object, options: tuple[str, ...], right: tuple[int, ...]
) -> None:
    found = read_option_list(value)
    assert found is not None
    assert (found.options, found.right) == (options, right)


@pytest.mark.parametrize("value", ["Plan A. is good", "one text", "", [], {}, None, 7, "__import__('os')"])
def test_what_is_no_list_of_options_is_none(value: object) -> None:
    assert read_option_list(value) is None


TEXT = st.text(st.characters(whitelist_categories=("Ll", "Lo"), min_codepoint=97), min_size=2, max_size=8)
STEMS = st.sampled_from(["question", "query", "题干", "stem", "problem"])
OPTIONS = st.sampled_from(["options", "candidates", "选项", "endings", "choices"])
KEYS = st.sampled_from(["answer", "label", "gold", "正确答案", "correct_option"])
STORIES = st.sampled_from(["story", "passage", "文章", "article", "context"])


@given(data=st.data(), stem=STEMS, held=OPTIONS, key_name=KEYS, story=STORIES)
def test_a_guess_reads_what_was_meant_or_says_what_is_missing(
    data: st.DataObject, stem: str, held: str, key_name: str, story: str
) -> None:
    rows = data.draw(
        st.lists(
            st.tuples(TEXT, TEXT, st.lists(TEXT, min_size=2, max_size=5, unique=True)), min_size=1, max_size=6
        )
    )
    counts = data.draw(st.sampled_from(["zero", "one", "letter", "words"]))
    places = [data.draw(st.integers(0, len(options) - 1)) for _story, _stem, options in rows]
    as_words = [options[at] for (_told, _asked, options), at in zip(rows, places, strict=True)]
    by_count: dict[str, list[object]] = {
        "zero": [*places],
        "one": [at + 1 for at in places],
        "letter": ["ABCDE"[at] for at in places],
        "words": [*as_words],
    }
    file = lines(
        *(
            {story: told, stem: asked, held: options, key_name: sign, "note": None}
            for (told, asked, options), sign in zip(rows, by_count[counts], strict=True)
        )
    )
    reading = read_items(file, name="t.jsonl", rules=ANYBODYS)
    if reading.errors:
        return
    for row, (_told, asked, options), at in zip(reading.rows, rows, places, strict=True):
        assert (row.record.question, [*row.record.choices]) == (asked, options)
        assert row.record.answer in {at, None} or (
            counts == "one" and key_name == "answer" and held == "choices"
        )
