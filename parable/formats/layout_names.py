"""Lists the names that foreign files give to the parts of an item, in English and Chinese, folded."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from parable.formats.option_marks import LETTERS
from parable.formats.tables import fold_name

Names = Mapping[str, int]
"""Ranks by name as `fold_name` returns it; the lowest rank is the likeliest name."""


def _ranked(names: str) -> Names:
    return MappingProxyType({name: rank for rank, name in enumerate(names.split())})


STEM: Final = _ranked(
    "question.stem questionstem stem question questiontext questions query 题干 题目 问题 试题 题目内容"
    " questioncontent qtext mcq prompt problem statement sentence goal ask input"
)
STORY: Final = _ranked(
    "story storytext 故事 passage passagetext article articletext context 材料 阅读材料 文章 短文 原文 语段"
    " 篇章 文本 背景 对话 上下文 florespassage paragraph document dialogue dialog conversation narrative ctx"
    " support background premise hint material reading startphrase"
)
WEAK: Final = _ranked("text content body title")
"""Names that some files give to the story and others to the stem."""
OPTIONS: Final = _ranked(
    "options choices choice option optionlist choicelist 选项 备选答案 备选项 endings candidates alternatives"
    " answerchoices answeroptions possibleanswers mc1targets targetscores answers responses"
)
KEY: Final = _ranked(
    "answerkey 正确答案 正确选项 标准答案 参考答案 答案 answer answers correctanswer correctoption"
    " correctchoice rightanswer rightoption correct answeridx answerindex correctindex correctanswerindex"
    " correctansweridx correctoptionindex correctanswerid correctoptionid correctanswernum answerrightending"
    " answerletter correctletter solution label labels gold goldlabel"
    " goldanswer goldindex key target cop ra"
)
RIGHT: Final = _ranked(
    "correctanswer correctoption correctchoice rightanswer rightoption correct answer 正确答案 答案"
)
WRONG: Final = _ranked(
    "incorrectanswers wronganswers incorrectoptions wrongoptions distractors incorrectchoices 干扰项 错误选项"
    " incorrect wrong"
)
ID: Final = _ranked(
    "id qid questionid idstring exampleid itemid uid questionuniqueid 编号 题号 序号 pairid qnum #name idx"
    " index #1 #2 #3"
)
STORY_ID: Final = _ranked("storyid articleid passageid contextid documentid docid 故事编号 文章编号 材料编号")
TITLE: Final = _ranked("title 标题 篇名")
EXPLANATION: Final = _ranked(
    "explanation 解析 答案解析 解释 试题解析 分析 rationale exp reasoning analysis solution"
)
SPLIT: Final = _ranked("split subset fold #name")
TEXTS: Final = _ranked(
    "text content value answertext optiontext choicetext atext statement answer option choice body 内容"
)
LABELS: Final = _ranked("label key letter id option name para optionid aid number 标号")
FLAGS: Final = _ranked("iscorrect correct isright right istrue isanswer isanswercorrect 正确 是否正确")

_REMARK: Final = re.compile(r"(\([^()]*\))+$")
"""Remarks in brackets at the end of a column's name: `Correct answer(s)`, `Option 3 (optional)`."""
_FAMILY: Final = re.compile(r"(.*?)([a-z]|[0-9]{1,2})(text)?")
_OPTION_PREFIXES: Final = frozenset(
    [
        "option",
        "options",
        "choice",
        "answer",
        "ans",
        "ending",
        "opt",
        "op",
        "hypothesis",
        "hyp",
        "sol",
        "mcanswer",
        "alternative",
        "candidate",
        "选项",
        "备选项",
        "备选答案",
        "答案",
        "randomfifthsentencequiz",
    ]
) | {""}
_WRONG_PREFIXES: Final = frozenset(
    [
        "distractor",
        "incorrect",
        "wrong",
        "incorrectanswer",
        "wronganswer",
        "incorrectoption",
        "wrongoption",
        "干扰项",
        "错误选项",
    ]
)
_STORY_PREFIXES: Final = frozenset(["sentence", "inputsentence", "observation", "obs"])


def plain_name(name: str) -> str:
    """Return the last part of a dotted path, folded and without a remark in brackets at its end."""
    folded = fold_name(name.rpartition(".")[2])
    return _REMARK.sub("", folded) or folded


def rank_of(name: str, names: Names) -> int | None:
    """Return the rank of a column's name among `names`; None if it is not one of them."""
    found = names.get(fold_name(name))
    return names.get(plain_name(name)) if found is None else found


def is_named(name: str, names: Names | frozenset[str]) -> bool:
    """Return whether a column has one of these names; either its whole path or its last part may match."""
    return fold_name(name) in names or plain_name(name) in names


def best_named(columns: Iterable[str], names: Names) -> list[str]:
    """Return the columns that have one of the names, the likeliest first."""
    ranked = [
        (rank, index, name)
        for index, name in enumerate(columns)
        if (rank := rank_of(name, names)) is not None
    ]
    return [name for _rank, _place, name in sorted(ranked)]


def families(columns: Iterable[str], *, wrong: bool = False) -> list[tuple[str, ...]]:
    """Return groups of columns that have one option each, such as `ending0` to `ending3` or `A` to `D`.

    With `wrong`, return only groups of wrong options, such as `distractor1` to `distractor3`.
    """
    if wrong:
        return _families(columns, _WRONG_PREFIXES, 1)
    return _families(columns, _OPTION_PREFIXES, 2)


def story_families(columns: Iterable[str]) -> list[tuple[str, ...]]:
    """Return groups of columns that have a part of a story each, such as `sentence1` to `sentence4`."""
    return _families(columns, _STORY_PREFIXES, 2)


def _families(columns: Iterable[str], prefixes: frozenset[str], least: int) -> list[tuple[str, ...]]:
    found: dict[tuple[str, bool], dict[int, str]] = {}
    for name in columns:
        match = _FAMILY.fullmatch(plain_name(name))
        if match is None or match[1] not in prefixes or (not match[1] and match[2].isdigit()):
            continue
        is_number = match[2].isdigit()
        place = int(match[2]) if is_number else LETTERS.index(match[2].upper())
        found.setdefault((match[1], is_number), {}).setdefault(place, name)
    return [run for places in found.values() if len(run := _in_a_row(places)) >= least]


def _in_a_row(places: Mapping[int, str]) -> tuple[str, ...]:
    first = 0 if 0 in places else 1
    run: list[str] = []
    while first + len(run) in places:
        run.append(places[first + len(run)])
    return tuple(run)
