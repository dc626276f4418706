"""A language model as judge: what it is asked, and how its replies are read."""

from __future__ import annotations

import time

import pytest

from parable.quality.item.agreement import RuleAgreement, pooled
from parable.quality.item.rules import CODES
from parable.quality.judge.criteria import BROKEN_WHERE
from parable.quality.judge.prompt import (
    ONE_RULE,
    RULE_BY_RULE,
    TOGETHER,
    WHOLE,
    Judged,
    JudgePrompt,
    answer_schema,
)
from parable.quality.judge.reply import LONGEST, REFUSED, UNREADABLE, Verdict, read_verdict, read_yes

NEGATIVE, VAGUE = "avoid_negatives", "no_vague_terms"
ITEM = Judged("Which is {rules} not so?", ("one\n line", "two"), (1,), "A tale. {item}")


def said(*rules: str, rating: int | None = None) -> Verdict:
    return Verdict(frozenset(rules), rating)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ('{"broken": ["avoid_negatives"], "rating": 1}', said(NEGATIVE, rating=1)),
        ('{"broken": [], "rating": 2}', said(rating=2)),
        ('{"rating": 0, "broken": ["no_vague_terms", "avoid_negatives"]}', said(NEGATIVE, VAGUE, rating=0)),
        ('Sure!\n```json\n{"broken": ["avoid_negatives"], "rating": 2}\n```', said(NEGATIVE, rating=2)),
        ('{"broken":["avoid_negatives", "no_vague_terms"], "rating": 1', said(NEGATIVE, VAGUE, rating=1)),
        ('{"broken": ["avoid_negatives", "no_vag', said(NEGATIVE)),
        ("{'broken': ['avoid_negatives'], 'rating': 1}", said(NEGATIVE, rating=1)),
        ('{"broken": "avoid_negatives", "rating": "1"}', said(NEGATIVE, rating=1)),
        ('{"broken": "none", "rating": 2}', said(rating=2)),
        ('{"broken": ["none"], "rating": 2}', said(rating=2)),
        ('{"broken": ["No vague terms", "avoid-negatives"]}', said(NEGATIVE, VAGUE)),
        ('{"broken": [{"code": "avoid_negatives", "why": "it asks what is not so"}]}', said(NEGATIVE)),
        ('{"broken": {"avoid_negatives": "it asks what is not so"}, "rating": 1}', said(NEGATIVE, rating=1)),
        ('{"avoid_negatives": true, "no_vague_terms": false, "rating": 1}', said(NEGATIVE, rating=1)),
        ('{"avoid_negatives": 1, "no_vague_terms": "no"}', said(NEGATIVE)),
        ('{"broken": {"avoid_negatives": false}, "rating": 2}', said(rating=2)),
        ('["avoid_negatives"]', said(NEGATIVE)),
        ('{"违反": ["avoid_negatives"], "评分": 1}', said(NEGATIVE, rating=1)),
        ("违反的规则：无\n评分：2", said(rating=2)),
        ("违反：avoid_negatives、no_vague_terms\n评分为1", said(NEGATIVE, VAGUE, rating=1)),
        ("Broken rules: none. Rating: 2/2", said(rating=2)),
        (
            "Violations:\n- avoid_negatives\n- no_vague_terms\n\n**Rating:** 1",
            said(NEGATIVE, VAGUE, rating=1),
        ),
        ('<think>{"broken": ["no_vague_terms"]}</think>{"broken": [], "rating": 0}', said(rating=0)),
        # what is said last is meant
        ('{"broken": ["avoid_negatives"]} No: {"broken": [], "rating": 2}', said(rating=2)),
        ("Rating: 0? On reflection, rating: 2", Verdict(None, 2)),
        # not on the scale, or on another one
        ('{"broken": [], "rating": 3}', said()),
        ('{"broken": [], "rating": -1}', said()),
        ('{"broken": [], "rating": 1.5}', said()),
        ("Broken: none\nScore: 1/10", said()),
        # nothing that there is
        ('{"broken": ["spelling"], "rating": 1}', Verdict(None, 1)),
        ("The item breaks no rule that I know of.", Verdict(outcome=UNREADABLE)),
        ("It does not break avoid_negatives.", Verdict(outcome=UNREADABLE)),
        ("", Verdict(outcome=UNREADABLE)),
        ("[[[[{{{{", Verdict(outcome=UNREADABLE)),
        ("I'm sorry, I can't help with that.", Verdict(outcome=REFUSED)),
        ("抱歉，我无法评判。", Verdict(outcome=REFUSED)),
    ],
)
def test_it_reads_a_judgement_and_guesses_nothing(reply: str, verdict: Verdict) -> None:
    assert read_verdict(reply, highest=2) == verdict


def test_it_reads_ratings_of_the_scale_that_is_asked_for() -> None:
    assert read_verdict('{"rating": 4}', highest=4).rating == 4
    assert read_verdict("rating 4/4", highest=4).rating == 4
    assert read_verdict("rating 2/2", highest=4).rating is None


@pytest.mark.parametrize(
    ("reply", "is_broken"),
    [
        ("Yes", True), ("yes.", True), ("**Yes**, it does", True), ("True", True), ("是", True),
        ("对的", True), ('{"answer": "yes"}', True), ('The answer is "yes"', True), ("答案：是", True),
        ("No", False), ("no, it asks", False), ("Not really", False), ("False", False), ("否", False),
        ("不是", False), ("没有违反", False), ("<think>yes</think>no", False), ('{"answer":"no"}', False),
        ("maybe", None), ("", None), ("是否", None), ("Nothing", None), ("Yesterday", None),
        ("It depends", None),
    ],
)  # fmt: skip
def test_it_reads_yes_and_no(reply: str, is_broken: bool | None) -> None:
    assert read_yes(reply) is is_broken


@pytest.mark.parametrize(
    "part", ["[", "{", '{"broken":', "rating ", "broken:", "\n", " ", "violations: -\n", '"']
)
def test_a_long_reply_takes_no_time(part: str) -> None:
    begun = time.process_time()
    read_verdict(part * (LONGEST // len(part)) + '{"broken": []}', highest=2)
    assert time.process_time() - begun < 2


def test_every_rule_is_told_in_both_languages() -> None:
    assert tuple(BROKEN_WHERE) == CODES
    assert all(set(texts) == {"en", "zh"} for texts in (*BROKEN_WHERE.values(), TOGETHER, ONE_RULE))
    assert len({text for texts in BROKEN_WHERE.values() for text in texts.values()}) == 2 * len(CODES)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_one_call_asks_about_the_item_with_its_key_and_every_rule(language: str) -> None:
    ((rule, prompt),) = JudgePrompt(highest=4).questions(ITEM, language)
    assert rule == ""
    assert all(f"- {code}: " in prompt for code in CODES)
    assert "A. one line\nB. two" in prompt
    assert ("Key: B" if language == "en" else "正确答案：B") in prompt
    assert "A tale. {item}" in prompt, "what stands in an item is not filled in again"
    assert "Which is {rules} not so?" in prompt
    assert '{"broken": [' in prompt
    assert ("to 4 (excellent)" if language == "en" else "到4（优）") in prompt


def test_a_small_model_is_asked_rule_by_rule() -> None:
    asked = RULE_BY_RULE.questions(ITEM, "en")
    assert [rule for rule, _prompt in asked] == list(CODES)
    assert all(BROKEN_WHERE[rule]["en"] in prompt and prompt.endswith("yes or no.") for rule, prompt in asked)
    assert len({prompt.partition("Is this true")[0] for _rule, prompt in asked}) == 1, "the item comes first"
    assert read_yes('{"answer": "yes"}'), "as its schema has it"
    assert "answer" in str(RULE_BY_RULE.schema())


def test_an_item_without_text_or_key_is_shown_without_them() -> None:
    ((_rule, prompt),) = WHOLE.questions(Judged("Why?", ("a", "b"), ()), "en")
    assert "Key:" not in prompt
    assert "Text:" not in prompt


def test_the_schema_asks_for_codes_and_the_scale() -> None:
    properties = answer_schema(3)["properties"]
    assert properties == {
        "broken": {"type": "array", "items": {"type": "string", "enum": list(CODES)}},
        "rating": {"type": "integer", "enum": [0, 1, 2, 3]},
    }


def test_labels_of_all_rules_can_be_pooled() -> None:
    found = pooled([RuleAgreement("a", 1, 2, 3, 4), RuleAgreement("b", 1, 0, 0, 5)])
    assert (found.both, found.judge_alone, found.people_alone, found.neither) == (2, 2, 3, 9)
    assert pooled([]).items == 0
