"""Descriptions of violations of the nineteen item-writing rules, by language, for prompts."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

BROKEN_WHERE: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "grammatical_consistency": {
            "en": "an option does not fit the stem grammatically, or the options differ in form",
            "zh": "有选项与题干语法不通，或各选项的形式不一致",
        },
        "focused_stem": {
            "en": "the stem is not a single clear question",
            "zh": "题干不是一个明确的问题",
        },
        "problem_in_stem": {
            "en": "what is asked can be seen from the options only, not from the stem",
            "zh": "只看题干不知道问的是什么，要看选项才知道",
        },
        "single_best_answer": {
            "en": "two or more options can be defended as correct",
            "zh": "有两个或更多选项都说得通",
        },
        "no_extraneous_info": {
            "en": "the stem has a clause or sentence that the answer does not need",
            "zh": "题干里有作答用不到的句子",
        },
        "avoid_k_type": {
            "en": 'options are combinations of other options or of numbered statements ("A and B only")',
            "zh": "选项是其他选项或带编号的说法的组合（如“只有A和B”）",
        },
        "clear_language": {
            "en": "the wording is unclear, ambiguous or ungrammatical",
            "zh": "措辞不清、有歧义或有语病",
        },
        "plausible_distractors": {
            "en": "a wrong option is absurd or off the topic, so nobody would choose it",
            "zh": "有错误选项荒唐或离题，没有人会选",
        },
        "avoid_repetition": {
            "en": "the key repeats content words of the stem and the other options do not",
            "zh": "正确选项重复了题干里的实词，其他选项没有",
        },
        "no_logical_cues": {
            "en": "an option can be ruled out by its form alone, or only the key fits the stem",
            "zh": "只看形式就能排除某个选项，或只有正确选项与题干相配",
        },
        "no_convergence_cues": {
            "en": "parts of the key recur in most wrong options, so counting them reveals the key",
            "zh": "正确选项的各部分在多数错误选项里重复出现，数一数就能找到",
        },
        "equal_length_options": {
            "en": "an option is far longer or far shorter than the others",
            "zh": "有选项比其他选项长得多或短得多",
        },
        "ordered_options": {
            "en": "the options are numbers or dates and are not in ascending order",
            "zh": "选项是数字或日期，却没有从小到大排列",
        },
        "no_absolute_terms": {
            "en": "an option makes a universal claim (always, never, only, all)",
            "zh": "有选项用了绝对的说法（总是、从不、只有、所有）",
        },
        "no_vague_terms": {
            "en": "an option says often, usually, may or the like",
            "zh": "有选项用了含糊的说法（往往、通常、可能）",
        },
        "avoid_negatives": {
            "en": "the stem asks for what is not so (not, except, incorrect)",
            "zh": "题干问的是哪一项不对（不、除了、错误的是）",
        },
        "no_all_of_the_above": {
            "en": 'an option is "all of the above" or means it',
            "zh": "有选项是“以上都对”或同样的意思",
        },
        "no_none_of_the_above": {
            "en": 'an option is "none of the above" or means it',
            "zh": "有选项是“以上都不对”或同样的意思",
        },
        "no_fill_in_blank": {
            "en": "a blank stands at the start or in the middle of the stem",
            "zh": "题干的开头或中间有空格要填",
        },
    }
)
"""Descriptions of violations by rule and language; the README of the labels has other wordings."""
