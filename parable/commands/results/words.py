"""What the tables of an evaluation say, in both languages. A code without words here stands for itself."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LANGUAGES: Final = ("en", "zh")

_EN: Final = {
    "accuracy": "Accuracy by task",
    "accuracy_about": "Right answers in percent of all answers asked for, with the 95 %% interval clustered"
    " by story (%(items)d items, %(stories)d stories). What names no single option is not right. The strict"
    " reading takes one letter and nothing else. Score: 0.4 x commonsense + 0.6 x moral. n counts items; what"
    " each examinee was asked for stands under “What came back”, and people answer a sample.",
    "outcomes": "What came back",
    "outcomes_about": "Answers asked for, and how they could be read: one option chosen, several named, none"
    " named, declined by the model or a content filter, never came back. All of them are in the denominator.",
    "types": "Error by commonsense type",
    "types_about": "Answers that are not right, in percent of all asked for, with the 95 %% interval"
    " clustered by story. An item of two types counts in both. n counts items; people answer a sample.",
    "styles": "Human and machine style",
    "styles_about": "Accuracy in percent on items whose options people worded (%(human)d) and on items whose"
    " options language models drafted (%(machine)d); the difference in points with its 95 %% interval,"
    " clustered by story.",
    "repeats": "Answers to the same item",
    "repeats_about": "Of the items that came back at least twice: the chance that two askings choose"
    " differently (options by identity; several, none and declined are choices of their own), items with any"
    " difference, items once right and once wrong, and items whose first two askings differ.",
    "positions": "Preference for a place",
    "positions_about": "By how many points a place is chosen more often than it holds the key, and how often"
    " a key at that place is found; the spread of the latter over the places in points. p: no preference at"
    " all.",
    "pairs": "Differences between examinees",
    "pairs_about": "Items that only one of two gets right at the first asking, with McNemar's exact test and"
    " Holm's adjustment over all pairs of a task; the difference over all askings in points, clustered by"
    " story; and how many items such a difference would take to be seen in 80 of 100 trials.",
    "drafted_mark": "*",
    "drafted_note": "* drafted options of these items",
    "column_examinee": "Examinee",
    "column_first": "First",
    "column_second": "Second",
    "column_task": "Task",
    "column_accuracy": "%(of)s",
    "column_strict": "%(of)s, strict",
    "column_score": "Score",
    "column_items": "Items",
    "column_asked": "Asked",
    "column_right": "Right",
    "column_chosen": "Chosen",
    "column_ambiguous": "Several",
    "column_unparsed": "None",
    "column_refused": "Declined",
    "column_failed": "Never came",
    "column_error": "%(of)s",
    "column_difference": "Difference",
    "column_orders": "Options",
    "column_askings": "Askings an item",
    "column_differ": "Two differ",
    "column_any_differ": "Any differ",
    "column_flips": "Right and wrong",
    "column_first_two": "First two differ",
    "column_answered": "Answers",
    "column_excess": "%(of)s: chosen less keys",
    "column_found": "%(of)s: keys found",
    "column_spread": "Spread",
    "column_preference_p": "p",
    "column_only_first": "Only the first right",
    "column_only_second": "Only the second right",
    "column_mcnemar": "p",
    "column_holm": "p, Holm",
    "column_design_effect": "Design effect",
    "column_needed": "Items needed",
    "commonsense": "Commonsense",
    "moral": "Moral",
    "social": "Social",
    "biological": "Biological",
    "temporal": "Temporal",
    "spatial": "Spatial",
    "physical": "Physical",
    "human": "Human style",
    "machine": "Machine style",
    "random": "Random guessing",
    "same_order": "in one order",
    "several_orders": "in several orders",
    "low": "%(column)s, from",
    "high": "%(column)s, to",
    "percent": "percent",
    "points": "points",
    "share_of_answers": "share of answers in percent",
    "people_mark": " (people)",
    "plot_right": "right",
    "plot_wrong": "wrong",
    "plot_ambiguous": "several",
    "plot_unparsed": "none",
    "plot_refused": "declined",
    "plot_failed": "never came",
}

_ZH: Final = {
    "accuracy": "各题型的正确率",
    "accuracy_about": "答对数占全部应答数的百分比，附按故事聚类的 95 %% 区间（%(items)d 道题，%(stories)d"
    " 个故事）。没有选定唯一选项的不算答对。严格读法只认单独一个字母。总分：0.4 × 常识 + 0.6 × 寓意。"
    "n 为题数；每位应试者的应答数见“作答情况”，真人只答其中一部分。",
    "outcomes": "作答情况",
    "outcomes_about": "应答数，以及读到的结果：选定一项、提到多项、没有提到选项、模型或内容过滤拒答、"
    "没有返回。分母包括以上全部。",
    "types": "各常识类型的错误率",
    "types_about": "没有答对的占全部应答数的百分比，附按故事聚类的 95 %% 区间。"
    "一题属于两种类型时，两处各计一次。n 为题数；真人只答其中一部分。",
    "styles": "人工与机器风格",
    "styles_about": "选项由人撰写的题目（%(human)d 道）与选项由语言模型起草的题目（%(machine)d 道）各自的"
    "正确率（百分比）；差值以百分点计，附按故事聚类的 95 %% 区间。",
    "repeats": "同一题目的多次作答",
    "repeats_about": "在至少返回两次的题目中：任取两次作答选择不同的机会（按选项本身比较；提到多项、没有"
    "提到和拒答各算一种选择）、出现过不同选择的题目、时对时错的题目、头两次不同的题目。",
    "positions": "位置偏好",
    "positions_about": "每个位置被选中的比例比它是正确选项的比例高出多少百分点，以及正确选项在该位置时被"
    "选中的比例；后者在各位置间的离散程度（百分点）。p：完全没有偏好。",
    "pairs": "两两比较",
    "pairs_about": "第一次作答时只有一方答对的题数，附 McNemar 精确检验及对同一题型所有配对的 Holm 校正；"
    "全部作答的差值（百分点，按故事聚类）；以及要在 100 次中有 80 次看出这样的差距需要多少道题。",
    "drafted_note": "* 起草过这些题目的选项",
    "column_examinee": "应试者",
    "column_first": "甲",
    "column_second": "乙",
    "column_task": "题型",
    "column_strict": "%(of)s（严格）",
    "column_score": "总分",
    "column_items": "题数",
    "column_asked": "应答",
    "column_right": "答对",
    "column_chosen": "选定",
    "column_ambiguous": "多项",
    "column_unparsed": "未提到",
    "column_refused": "拒答",
    "column_failed": "未返回",
    "column_difference": "差值",
    "column_orders": "选项",
    "column_askings": "每题次数",
    "column_differ": "两次不同",
    "column_any_differ": "有过不同",
    "column_flips": "时对时错",
    "column_first_two": "头两次不同",
    "column_answered": "作答数",
    "column_excess": "%(of)s：选中减正确",
    "column_found": "%(of)s：找到正确选项",
    "column_spread": "离散程度",
    "column_only_first": "仅甲答对",
    "column_only_second": "仅乙答对",
    "column_holm": "p（Holm）",
    "column_design_effect": "设计效应",
    "column_needed": "所需题数",
    "commonsense": "常识",
    "moral": "寓意",
    "social": "社会常识",
    "biological": "生物常识",
    "temporal": "时间常识",
    "spatial": "空间常识",
    "physical": "物理常识",
    "human": "人工风格",
    "machine": "机器风格",
    "random": "随机猜测",
    "same_order": "顺序相同",
    "several_orders": "顺序不同",
    "low": "%(column)s，下限",
    "high": "%(column)s，上限",
    "percent": "百分比",
    "points": "百分点",
    "share_of_answers": "占应答的百分比",
    "people_mark": "（真人）",
    "plot_right": "答对",
    "plot_wrong": "答错",
    "plot_ambiguous": "多项",
    "plot_unparsed": "未提到",
    "plot_refused": "拒答",
    "plot_failed": "未返回",
}

_WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({"en": _EN, "zh": {**_EN, **_ZH}})


def word(code: str, language: str) -> str:
    """The words of a code, or the code itself."""
    return _WORDS[language].get(code, code)


def untranslated() -> list[str]:
    """The codes that have English words only, those aside that read the same in both languages."""
    alike = {"drafted_mark", "column_accuracy", "column_error", "column_preference_p", "column_mcnemar"}
    return sorted(set(_EN) - set(_ZH) - alike)
