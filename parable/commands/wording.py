"""What commands say, in both languages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from parable.formats.errors import RowError, english
from parable.formats.errors_chinese import CHINESE as FILE_ERRORS
from parable.quality.gates.chinese import CHINESE

LANGUAGES: Final = ("en", "zh")

_EN: Final = {
    "ok": "ok",
    "warning": "warning",
    "error": "error",
    "not_applicable": "not applicable",
    "commonsense": "commonsense",
    "moral": "moral",
    "place": "%(file)s, row %(row)s, %(field)s: ",
    "no_items": "These files hold no items.",
    "unwritable": "%(folder)s cannot be written: %(reason)s.",
    "written": "Report: %(files)s",
    "withheld": "The answers of %(n)d items are withheld; give them with --answers.",
    "no_responses": "The responses answer none of these items.",
    "changed_files": "Note: not as the release was built, by its manifest: %(files)s.",
    "tables_written": "%(n)d files written to %(folder)s.",
    "offenders": "first: %(items)s. %(mend)s",
    "past": "warning past %(threshold)s",
    "title": "Audit of %(items)d items",
    "about": "%(errors)d errors, %(warnings)d warnings. A test warns where its p-value times the number of"
    " all tests of the run is under 0.002; it is an error where also the lower end of its 95 %% interval lies"
    " at least 5 points above chance.",
    "gate": "Gate",
    "task": "Task",
    "verdict": "Verdict",
    "figure": "Figure",
    "why": "Why it matters",
    "mend": "How to mend it",
    "worst": "Items to look at first",
    "lengths": "Length of the key",
    "lengths_about": "How many keys are the longest option of their item, the second, and so on.",
    "positions": "Position of the key",
    "positions_about": "How many keys stand at each letter.",
    "types": "Commonsense types",
    "types_about": "Items of each type; an item of two types counts in both.",
    "phrases": "Turns of phrase that give keys away",
    "phrases_about": "Share of keys that say a phrase (filled), and of wrong options that do (open).",
    "no_phrases": "None stands out.",
    "similarity": "Items that are nearly the same",
    "similarity_about": "Pairs of items whose stem and options share at least half of their pieces.",
    "none": "none",
    "keys": "keys",
    "share": "share",
    "items": "items",
    "pairs": "pairs",
}

_ZH: Final = {
    "ok": "通过",
    "warning": "留意",
    "error": "未过",
    "not_applicable": "不适用",
    "commonsense": "常识题",
    "moral": "寓意题",
    "social": "社会",
    "biological": "生物",
    "temporal": "时间",
    "spatial": "空间",
    "physical": "物理",
    "dev": "开发集",
    "test": "测试集",
    "place": "%(file)s，第 %(row)s 行，%(field)s：",
    "no_items": "这些文件里没有题目。",
    "unwritable": "%(folder)s 无法写入：%(reason)s。",
    "written": "报告：%(files)s",
    "withheld": "有 %(n)d 道题没有公布答案，请用 --answers 给出。",
    "no_responses": "这些作答与题目都对不上。",
    "changed_files": "注意：与清单不符的发布文件：%(files)s。",
    "tables_written": "已写入 %(n)d 个文件到 %(folder)s。",
    "offenders": "先看：%(items)s。%(mend)s",
    "past": "超过 %(threshold)s 即提醒",
    "title": "%(items)d 道题的检查报告",
    "about": "未过 %(errors)d 项，留意 %(warnings)d 项。一项检验的 p 值乘以本次全部检验的个数小于 0.002"
    " 时提醒；如果 95 %% 区间的下端也比随机高出至少 5 个百分点，则为未过。",
    "gate": "门槛",
    "task": "题型",
    "verdict": "结论",
    "figure": "数值",
    "why": "为什么重要",
    "mend": "怎样改",
    "worst": "先看这些题目",
    "lengths": "正确选项的长度",
    "lengths_about": "正确选项在本题中是最长、第二长……的各有多少题。",
    "positions": "正确选项的位置",
    "positions_about": "正确选项落在各个字母的题数。",
    "types": "常识类型",
    "types_about": "各类型的题数；一题属于两种类型时，两处各计一次。",
    "phrases": "泄露答案的说法",
    "phrases_about": "正确选项中用到某个说法的比例（实心），以及干扰项中的比例（空心）。",
    "no_phrases": "没有突出的说法。",
    "similarity": "几乎相同的题目",
    "similarity_about": "题干和选项至少有一半片段相同的题对，按相同的比例。",
    "none": "无",
    "keys": "正确选项数",
    "share": "比例",
    "items": "题数",
    "pairs": "对数",
}

_WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({"en": _EN, "zh": {**_ZH, **CHINESE}})


def sentence(said: str, language: str) -> str:
    """A sentence by its name, or a gate's own English sentence, in this language."""
    return _WORDS[language].get(said, said)


def sentence_of(error: RowError, language: str) -> str:
    """What is wrong at one place of a file."""
    return english(error) if language == "en" else FILE_ERRORS[error.code] % error.params
