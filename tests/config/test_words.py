"""Every sentence speaks as the product speaks: no banned word, one name for one thing, in both languages.

The terms are those of `dashboard/glossary.py`, which readers see under `/help/glossary`. An exemption names a
sentence and its reason; the test fails where one is not needed any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pytest
from babel.messages.pofile import read_po
from django.utils.translation import override

from config.messages import FOLDERS, catalogue_path
from dashboard.glossary import TERMS, Term

BANNED: Final[dict[str, dict[str, str]]] = {
    "en": {
        "mend|mends|mended|mending": "fix, revise",
        "hand in|hands in|handed in": "submit",
        "bring in|brings in|brought in|brought": "import",
        "in hand|in your hands|in the hands": "yours, in progress",
        "stood|it stands|as it stands|as they stand": "is, uphold, unchanged",
        "wants|wanted": "requires, needs",
        "nobody|somebody|everybody|whosoever": "no one, someone, everyone",
        "take out|taken out|take away|taken away|takes away": "remove, export",
        "put off|put away": "later, hide",
        "cut a release|cut the release": "create a release",
        "narrow|narrowed": "filter",
        "slip|slips": "misclick, typo",
        "rightly": "correct",
        "work out|worked out": "estimate, calculate",
        "another look|looked at again": "re-review",
        "judged|judges|judge the item|judge it": "review",
        "somebody else's": "someone else's",
        "stuck": "blocked",
        "owe|owes|owed": "to write",
        "barred": "excluded",
        "unqualified|qualified": "poor, acceptable",
        "cross-check": "review",
        "statement": "work report",
        "wrong option|wrong options": "distractor",
    },
    "zh": {
        "应试者|被试|考生": "受测对象",
        "队伍": "团队",
        "手滑": "误选",
        "毛病": "缺陷",
        "错误选项": "干扰项",
        "说明卡": "数据卡",
        "提醒": "警告",
        "工作清单": "工作量统计",
        "解析": "解释",
        "贴上": "粘贴",
        "押后": "稍后处理",
        "谁愿意谁接|看看|去看": "riddles",
        "什么都没有|你的东西": "没有任何",
        "手里|手上": "领取",
        "落选": "退回与拒绝",
        "两集|这一集|各集|某一集": "子集",
        "不明": "未知",
        "各行的题|每一行会怎样": "导入预览",
        "送去再看|再看一遍就": "重新审核",
    },
}
"""Words that sentences avoid, and what they say instead; alternatives are separated by a bar."""

FROZEN: Final = "data card"
"""The context of sentences that are part of the bytes of releases: only a new layout changes them."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A message of the catalogs: its context, its forms in English, its Chinese and where it stands."""

    context: str
    english: tuple[str, ...]
    chinese: str
    paths: frozenset[str]

    def __str__(self) -> str:
        return f"{self.english[0]!r} ({self.chinese}) in {', '.join(sorted(self.paths))}"


def _sentences() -> Iterator[Sentence]:
    for folder in FOLDERS:
        with catalogue_path("zh_Hans", folder=folder).open("rb") as file:
            for message in read_po(file, locale="zh_Hans"):
                if message.id and not (message.context or "").startswith(FROZEN):
                    forms = message.id if isinstance(message.id, tuple | list) else (message.id,)
                    said = message.string if isinstance(message.string, str) else (message.string or [""])[0]
                    paths = frozenset(path for path, _line in message.locations)
                    yield Sentence(message.context or "", tuple(forms), said, paths)


SENTENCES: Final = tuple(_sentences())
"""Read once: a test of the tests looks at sentences of its own."""

ALLOWED: Final[dict[tuple[str, str], str]] = {}
"""Sentences that say a banned word, by the word and how they begin in English, each with the reason."""

OTHERWISE: Final[dict[tuple[str, str], str]] = {
    ("item", "Items"): "heads a column of counts in results",
    ("item", "items"): "heads a column of counts in an audit",
}
"""Sentences without the translation of a term, by its code and how they begin, each with the reason."""

FORMS: Final = {
    "story": "story|stories",
    "deputy": "deputy|deputies",
    "batch": "batch|batches",
    "erratum": "erratum|errata",
    "agreement": "agreement",
}
"""How a term is written in sentences, where it is not the term and its plural with an s."""


def _text(sentence: Sentence, language: str) -> str:
    text = " | ".join(sentence.english) if language == "en" else sentence.chinese
    return re.sub(r"%\(\w+\)[\d.]*[sdf]|\{\w+\}|“[^”]*”", "", text)


def _pattern(language: str, alternatives: str) -> re.Pattern[str]:
    if language == "en":
        return re.compile(rf"(?<![\w-])(?:{alternatives})(?![\w/-]|\.\w)", re.IGNORECASE)
    return re.compile(alternatives)


def banned_words(sentences: Iterable[Sentence], language: str) -> Iterator[tuple[str, Sentence]]:
    """Yield each banned word that a sentence says, with the sentence."""
    patterns = [_pattern(language, words) for words in BANNED[language]]
    for sentence in sentences:
        for pattern in patterns:
            if found := pattern.search(_text(sentence, language)):
                yield found[0].lower(), sentence


def other_translations(sentences: Iterable[Sentence], term: Term) -> Iterator[Sentence]:
    """Yield sentences that say a term in English and not its one translation in Chinese.

    A term that is not strict has one translation only where it is the whole sentence.
    """
    with override("en"):
        english = str(term.name)
    with override("zh-hans"):
        chinese = str(term.name)
    said = _pattern("en", FORMS.get(term.code, f"{english}s?"))
    for sentence in sentences:
        alone = said.fullmatch(sentence.english[0])
        if (
            alone or (term.strict and said.search(_text(sentence, "en")))
        ) and chinese not in sentence.chinese:
            yield sentence


def _matches(allowed: dict[tuple[str, str], str], word: str, sentence: Sentence) -> set[tuple[str, str]]:
    return {key for key in allowed if key[0] == word and sentence.english[0].startswith(key[1])}


@pytest.mark.parametrize("language", BANNED)
def test_it_says_no_banned_word(language: str) -> None:
    found = list(banned_words(SENTENCES, language))
    assert [f"{word}: {one}" for word, one in found if not _matches(ALLOWED, word, one)] == []


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.code)
def test_it_translates_each_term_in_one_way(term: Term) -> None:
    found = other_translations(SENTENCES, term)
    assert [str(one) for one in found if not _matches(OTHERWISE, term.code, one)] == []


def test_it_needs_every_exemption() -> None:
    words = {
        key
        for language in BANNED
        for word, one in banned_words(SENTENCES, language)
        for key in _matches(ALLOWED, word, one)
    }
    terms = {
        key
        for term in TERMS
        for one in other_translations(SENTENCES, term)
        for key in _matches(OTHERWISE, term.code, one)
    }
    assert words == set(ALLOWED)
    assert terms == set(OTHERWISE)


def test_it_notices_a_banned_word_in_either_language() -> None:
    changed = Sentence("", ("The item is handed in.",), "题目已提交，应试者可见。", frozenset({"a.py"}))
    assert [word for word, _one in banned_words([changed], "en")] == ["handed in"]
    assert [word for word, _one in banned_words([changed], "zh")] == ["应试者"]
    quiet = Sentence("", ("Slippery roads, “handed in”, %(mend)s",), "提交", frozenset({"a.py"}))
    assert list(banned_words([quiet], "en")) == []


def test_it_notices_a_second_translation() -> None:
    terms = {term.code: term for term in TERMS}
    other = Sentence("", ("Remove the distractors.",), "请删除错误的选项。", frozenset({"a.py"}))
    assert list(other_translations([other], terms["distractor"])) == [other]
    key = Sentence("", ("Key",), "答案", frozenset({"a.py"}))
    assert list(other_translations([key], terms["key"])) == [key]
    stored = Sentence("", ("Store the API key.",), "存储密钥。", frozenset({"a.py"}))
    assert list(other_translations([stored], terms["key"])) == []


def test_it_has_each_term_once() -> None:
    assert len({term.code for term in TERMS}) == len(TERMS)
    for language in ("en", "zh-hans"):
        with override(language):
            names = [str(term.name) for term in TERMS]
            assert len(set(names)) == len(names), language
            assert all(str(term.meaning).strip() for term in TERMS)
