"""Every sentence speaks as the product speaks: no banned word, one name for one thing, in both languages.

The terms are those of `dashboard/glossary.py`, which readers see under `/help/glossary`. An exemption names a
sentence and its reason; the test fails where one is not needed any more.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from django.core.management import call_command
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.translation import override

from config.messages import BASE, FOLDERS, catalogue_path
from dashboard.glossary import TERMS, Term
from parable.sentences import pgettext_noop
from release.assembly.recipe import LAYOUT
from release.card.layouts import LAYOUTS

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
        "judge|judged|judges|judging": "review, check, assess",
        "somebody else's": "someone else's",
        "stuck": "blocked",
        "owe|owes|owed": "to write",
        "barred": "excluded",
        "unqualified|qualified": "poor, acceptable",
        "cross-check": "review",
        "statement": "work report",
        "wrong option|wrong options": "distractor",
        "waits for you|wait for you|waiting for you": "your work, to review",
        "who has done what|items fall|items measured": "work report, rejection reasons, item analysis",
        "comes back|came back": "returned",
        "with words|your words|in words|in other words|without a word": "comment, text",
        "rule on|rules on|ruled on": "adjudicate",
        "send on|sends on|sent on": "send to verification",
        "earlier story": "previous story",
        "become of|becomes of": "preview, outcome",
        "find out": "detect",
        "of ours|ours": "Parable",
        "forget": "cancel, delete",
        "stand|stands(?! out)": "is, are",
        "hold(?! back)|holds(?! back)|held(?!.back)": "has, contains, includes",
        r"puts? [a-z ]{1,20}away": "hide",
        "make the links|makes the links": "create invitations",
        r"lets? [a-z ]{1,12}gates? pass|lets? pass": "override",
        "how far": "agreement, progress",
        r"(?:bring|brings|brought) [a-z ]{1,20} in": "import",
        "work it out|works it out": "estimate",
        "count again|counts again|counted again": "recalculate",
        "promised|at work": "reserved, running",
        "makes you not blind|not blind to": "ends your blind status",
        "measure|measures|measured|measuring": "evaluation, evaluate",
        "spoke|speaks": "warned, fails",
        "looks at them|look at them|to look at": "check",
        "on its way|on their way": "not yet released",
        "at the desk|to the desk|on the desk": "on the writing page",
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
        "送去再看|再看一遍就|送回重新审核|退回复审": "送去重新审核",
        "直接算": "直接标为",
        "都到了哪一步": "题目进度",
        "等着办": "待处理",
        "^各行$": "分组方式",
        "有 0 ": "没有",
        "再输": "再次输入",
        "换一些": "重新选择",
        "谁还没|发到群里": "未完成名单",
        "常识推理": "常识",
        "怎样做成|里面有什么": "构建方式、内容",
        "盲审": "盲答",
        "报错": "错误报告",
        "评审": "审核",
        "篇|则故事|份故事": "个故事",
        "指派|分配": "分派",
        "名字": "姓名、名称",
        "未找到|不存在": "找不到",
        "退役": "停用",
        "门槛": "质量检查",
        "承接|所扩展": "基于",
        "撰写者": "参与者",
    },
}
"""Words that sentences avoid, and what they say instead; alternatives are separated by a bar."""

BANNED_IN_ADDRESSES: Final = {
    "place|places": "request",
    "words": "comment",
    "gold": "practice",
    "tables": "export",
    "apart": "separate",
    "says the same": "same text",
    "unread": "unparsed",
}
"""Words that addresses, names of routes and fields of the API avoid besides those above."""

PRINTED: Final = "data card"
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


def _is_of_earlier_layout(message: Message) -> bool:
    context = message.context or ""
    current = LAYOUTS[LAYOUT].sentences.values()
    return context.startswith(PRINTED) and pgettext_noop(context, str(message.id)) not in current


def _sentences() -> Iterator[Sentence]:
    for folder in FOLDERS:
        with catalogue_path("zh_Hans", folder=folder).open("rb") as file:
            for message in read_po(file, locale="zh_Hans"):
                if message.id and not _is_of_earlier_layout(message):
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

QUOTED: Final[dict[tuple[str, str], str]] = {("All", "“All” or “none”"): "a word of options, not of a page"}
"""Sentences that quote what is no name of a page, by the words and how they begin, each with the reason."""

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


def other_names(sentences: Iterable[Sentence], names: Iterable[Sentence]) -> Iterator[tuple[str, Sentence]]:
    """Yield each name in quotation marks that a Chinese sentence gives otherwise than its page does.

    Names of sections, fields and buttons begin with a capital letter; words of items and of files do not.
    """
    given: dict[str, set[str]] = {}
    for name in names:
        given.setdefault(name.english[0], set()).add(f"“{name.chinese}”")
    for sentence in sentences:
        for name in re.findall("“([A-Z][^”]*)”", sentence.english[0]):
            if name in given and not any(said in sentence.chinese for said in given[name]):
                yield name, sentence


_HAN: Final = r"[\u3400-\u9fff]"
_LATIN: Final = r"(?:[A-Za-z0-9]|%\(\w+\)[\d.]*[sdf]|\{\w+\})"
TYPESETTING: Final = {
    "no space between Chinese and Latin letters, digits or values": re.compile(
        rf"{_HAN}(?:<\w+>)?{_LATIN}|{_LATIN}(?:</\w+>)?{_HAN}"
    ),
    "a space before a percent sign": re.compile(r"[\d)sdf] %(?![(}])"),
    "a half-width punctuation mark": re.compile(rf"{_HAN}[,;:!?]|[,;!?]{_HAN}"),
    "a full-width letter or digit": re.compile(r"[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"),
}
"""What Chinese text must not have, by its name."""

TIGHT: Final[dict[str, str]] = {"%(words)s服务器返回": "the value is a sentence with its full stop"}
"""Chinese sentences that are typeset otherwise, by how they begin, each with the reason."""


def misset(text: str) -> Iterator[str]:
    """Yield what is wrong with the typesetting of a Chinese text."""
    for name, pattern in TYPESETTING.items():
        if found := pattern.search(text):
            yield f"{name}: {found[0]!r}"


def _routes(resolver: URLResolver) -> Iterator[str]:
    for one in resolver.url_patterns:
        if isinstance(one, URLPattern):
            if one.name:  # the others redirect addresses of before
                yield f"{one.name} {re.sub(r'<[^>]*>', ' ', str(one.pattern))}"
        elif one.namespace != "admin":
            yield from (f"{one.pattern} {rest}" for rest in _routes(one))


def _fields(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (str(schema[key]) for key in ("operationId", "title", "name") if key in schema)
        yield from (field for part in schema.values() for field in _fields(part))
    elif isinstance(schema, list):
        yield from (field for part in schema for field in _fields(part))


def banned_names(names: Iterable[str]) -> Iterator[str]:
    """Yield names in addresses and code that say a banned word, with the word."""
    patterns = [_pattern("en", words) for words in (*BANNED["en"], *BANNED_IN_ADDRESSES)]
    for name in names:
        text = re.sub(r"[^a-z0-9]+", " ", name.lower())
        yield from (f"{found[0]}: {name}" for pattern in patterns if (found := pattern.search(text)))


def _matches(allowed: dict[tuple[str, str], str], word: str, sentence: Sentence) -> set[tuple[str, str]]:
    return {key for key in allowed if key[0] == word and sentence.english[0].startswith(key[1])}


@pytest.mark.parametrize("language", BANNED)
def test_it_says_no_banned_word(language: str) -> None:
    found = list(banned_words(SENTENCES, language))
    assert [f"{word}: {one}" for word, one in found if not _matches(ALLOWED, word, one)] == []


def test_it_names_addresses_and_fields_by_the_same_words() -> None:
    written = io.StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=written)
    schema = json.loads(written.getvalue())
    names = {*_routes(get_resolver()), *_fields(schema), *schema["components"]["schemas"]}
    assert len(names) > 200
    assert list(banned_names(names)) == []


def test_it_notices_a_banned_name() -> None:
    assert list(banned_names(["p/<slug>/in-hand", "in_hand", "review/words", "mend", "comment"])) == [
        "in hand: p/<slug>/in-hand",
        "in hand: in_hand",
        "words: review/words",
        "mend: mend",
    ]


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.code)
def test_it_translates_each_term_in_one_way(term: Term) -> None:
    found = other_translations(SENTENCES, term)
    assert [str(one) for one in found if not _matches(OTHERWISE, term.code, one)] == []


def test_it_names_what_a_page_shows_as_the_page_does() -> None:
    found = other_names(SENTENCES, SENTENCES)
    assert [str(one) for name, one in found if not _matches(QUOTED, name, one)] == []


def test_it_notices_a_name_that_no_page_shows() -> None:
    shown = Sentence("", ("Columns",), "列对应", frozenset({"a.html"}))
    right = Sentence("", ("Choose it under “Columns”.",), "请在“列对应”中选择。", frozenset({"a.py"}))
    other = Sentence("", ("Choose it under “Columns”.",), "请在“列”中选择。", frozenset({"a.py"}))
    assert list(other_names([right, other], [shown])) == [("Columns", other)]


def test_it_needs_every_exemption() -> None:
    words = {
        key
        for language in BANNED
        for word, one in banned_words(SENTENCES, language)
        for key in _matches(ALLOWED, word, one)
    }
    tight = {start for start in TIGHT for one in SENTENCES if one.chinese.startswith(start)}
    terms = {
        key
        for term in TERMS
        for one in other_translations(SENTENCES, term)
        for key in _matches(OTHERWISE, term.code, one)
    }
    quoted = {key for name, one in other_names(SENTENCES, SENTENCES) for key in _matches(QUOTED, name, one)}
    assert quoted == set(QUOTED)
    assert words == set(ALLOWED)
    assert terms == set(OTHERWISE)
    assert tight == set(TIGHT)


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


def test_it_sets_chinese_and_latin_apart() -> None:
    found = {
        f"{wrong} in {one}"
        for one in SENTENCES
        for wrong in misset(one.chinese)
        if not any(one.chinese.startswith(start) for start in TIGHT)
    }
    assert found == set()


_MARKS: Final = re.compile(r">[:;,] ?[{<]|(?<!floatformat:2 )\}\}[:;,] \{\{|\}\} %(?!\})")


def test_no_template_writes_a_mark_that_differs_in_chinese() -> None:
    found = set()
    for path in (BASE / "templates").rglob("*.html"):
        text = re.sub(
            r"\{% (comment|blocktranslate).*?end\1 %\}", "", path.read_text("utf-8"), flags=re.DOTALL
        )
        found |= {f"{match[0]} in {path.relative_to(BASE)}" for match in _MARKS.finditer(text)}
    assert found == set()


def test_it_sets_chinese_and_latin_apart_in_templates() -> None:
    found = set()
    for path in (*(BASE / "templates").rglob("*.html"), *(BASE / "static" / "js").glob("*.js")):
        text = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", path.read_text("utf-8"), flags=re.DOTALL)
        found |= {
            f"{wrong} in {path}"
            for line in text.splitlines()
            if re.search(_HAN, line)
            for wrong in misset(line)
        }
    assert found == set()


@pytest.mark.parametrize(
    ("text", "wrongs"),
    [
        ("第 3 题，JSONL 文件，95% 区间，“%(name)s”的角色", 0),
        ("第3 题", 1),
        ("第 3题", 1),
        ("JSONL文件", 1),
        ("%(name)s的角色", 1),
        ("给 {name}的链接", 1),
        ("按 <kbd>Enter</kbd>放入", 1),
        ("95 % 区间", 1),
        ("%(n)d %%", 1),
        ("请返回,再试", 1),
        ("第 ３ 题", 1),
    ],
)
def test_it_notices_text_that_is_set_badly(text: str, wrongs: int) -> None:
    assert len(list(misset(text))) == wrongs


def test_it_has_each_term_once() -> None:
    assert len({term.code for term in TERMS}) == len(TERMS)
    for language in ("en", "zh-hans"):
        with override(language):
            names = [str(term.name) for term in TERMS]
            assert len(set(names)) == len(names), language
            assert all(str(term.meaning).strip() for term in TERMS)
