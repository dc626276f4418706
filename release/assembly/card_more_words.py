"""The sentences of the data card that came with the second layout, in both languages.

Not translated through the site's catalogue, as those of the first.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_EN: Final = {
    "anonymous_title": "Multiple-choice items about stories",
    "anonymous_about": "Who made this set is not said for now.",
    "loading": "Load it",
    "loading_about": "In this folder; `all` holds both tasks, and each task is a configuration of its own.",
    "written": "Items written: {written}. In this release: {released}.",
    "written_one": "{task}: {count}",
    "several_types": "{count} of {items} items carry more than one type.",
    "story_table": "Items by story",
    "items": "Items",
    "items_a_story": "Items a story",
    "lengths": "Mean length in characters",
    "lengths_dev": "Mean length in characters (dev only, since test answers are withheld)",
    "story_length": "Story",
    "stem_length": "Stem",
    "key_length": "Key",
    "other_length": "Other options",
    "keys": "Places of the key",
    "split": "Split",
    "measured": "People's answers",
    "measured_about": "In cross-check people answer before they see the key. These figures are of the whole"
    " project, items that were turned down included; verification is left out, since it sees survivors"
    " only. Intervals of 95 % are drawn by story.",
    "unmeasured": "Nobody has answered items of this project blind in Parable, so human accuracy and"
    " agreement are not known.",
    "answers": "Answers",
    "accuracy": "Right",
    "twice": "Items rated twice",
    "alpha": "Krippendorff's alpha",
    "ac2": "Gwet's AC2",
    "interval": "{value} ({low} to {high})",
    "providers": "Who saw items before",
    "no_providers": "No language model was sent an item of this release while it was made.",
    "providers_about": "While they were made, items were sent to these models, whose makers may keep what"
    " they are sent. Measure these models with that in mind.",
    "provider": "Model",
    "host": "Server",
    "limit_accuracy": "The keys were set and checked by people, and people err: see the figures above.",
    "limit_keys": "The keys were set and checked by people, and people err.",
    "limit_sources": "The stories may stand in the training data of a model already; the items should not.",
    "file_answers": "`score.py`: scores answers of models, with Python alone: `python3 score.py RESPONSES`.",
    "file_harness": "`harness/`: ready tasks for lm-evaluation-harness, Inspect and OpenCompass, each with"
    " its command in its first lines.",
    "file_instruction": "`instruction/`: the dev items as examples for fine-tuning, in Alpaca and in chat"
    " shape.",
    "file_croissant": "`croissant.json`: the same as Croissant metadata, with its fields of responsible AI.",
    "rai_collection": "People wrote the items about stories that were brought in from outside; other people"
    " solved each item before its key was shown, judged it, and a further person confirmed it.",
    "rai_protocol": "Nobody judges an item after writing any wording of it. Reviewers see neither key,"
    " author, style nor moral before they answer; then they rate the item 0, 1 or 2 and name its flaws.",
    "rai_demographics": "Nothing about the people is recorded in this release but how many there were.",
    "rai_personal": "None: the stories are fiction, and people are counted, not named.",
    "rai_uses": "Measuring how well models understand stories. Not for training: the dev split alone may be"
    " used for examples and for fine-tuning.",
    "rai_maintenance": "A release never changes. Errors that are found are mended or retired in a later"
    " version, which says so item by item.",
    "rai_biases": "Gates that spoke: {gates}.",
    "rai_no_biases": "No gate spoke.",
}

_ZH: Final = {
    "anonymous_title": "故事理解选择题",
    "anonymous_about": "制作者暂不公布。",
    "loading": "读取",
    "loading_about": "在本文件夹中运行；`all` 含两个任务，每个任务也各是一个配置。",
    "written": "编写的题目：{written}；收入本版的：{released}。",
    "written_one": "{task} {count} 题",
    "several_types": "{items} 题中有 {count} 题属于不止一种类型。",
    "story_table": "每个故事的题目",
    "items": "题数",
    "items_a_story": "每个故事题数",
    "lengths": "平均长度（字符）",
    "lengths_dev": "平均长度（字符；测试集不公布答案，故只计开发集）",
    "story_length": "故事",
    "stem_length": "题干",
    "key_length": "正确选项",
    "other_length": "其他选项",
    "keys": "正确选项的位置",
    "split": "集合",
    "measured": "人的作答",
    "measured_about": "审核时，人先作答，再看正确选项。以下数字出自整个项目，没有采用的题目也在内；复核只看到"
    "留下来的题目，所以不计。95 % 区间按故事抽样。",
    "unmeasured": "还没有人在 Parable 中盲答过本项目的题目，所以人的正确率和一致性不详。",
    "answers": "作答数",
    "accuracy": "答对",
    "twice": "两人评过的题数",
    "alpha": "Krippendorff α",
    "ac2": "Gwet AC2",
    "interval": "{value}（{low} 至 {high}）",
    "providers": "谁先看过题目",
    "no_providers": "制作过程中，没有把本版的任何题目发给语言模型。",
    "providers_about": "制作过程中，有题目发给了下列模型，其提供者可能留存收到的内容；评测这些模型时请留意。",
    "provider": "模型",
    "host": "服务器",
    "limit_accuracy": "正确选项由人写定、由人核对，人会出错，数字见上。",
    "limit_keys": "正确选项由人写定、由人核对，人会出错。",
    "limit_sources": "故事本身可能已在模型的训练数据之中，题目则不应在内。",
    "file_answers": "`score.py`：给模型的作答评分，只需 Python：`python3 score.py RESPONSES`。",
    "file_harness": "`harness/`：lm-evaluation-harness、Inspect 和 OpenCompass 的现成任务，命令写在各文件"
    "开头。",
    "file_instruction": "`instruction/`：开发集作微调样例，有 Alpaca 和对话两种格式。",
    "file_croissant": "`croissant.json`：Croissant 元数据，含负责任人工智能的各项。",
    "rai_collection": "故事从外部取得，题目由人编写；每题由别人先作答、再看正确选项并评判，然后由另一人确"
    "认。",
    "rai_protocol": "写过一题的任何一稿，就不能评判该题。审核者作答之前看不到正确选项、作者、风格和寓意；作答"
    "后评 0、1 或 2 分，并指出毛病。",
    "rai_demographics": "除人数以外，本版不记录关于人的任何内容。",
    "rai_personal": "没有：故事是虚构的；人只计数，不具名。",
    "rai_uses": "用于衡量模型对故事的理解，不用于训练；只有开发集可作示例和微调。",
    "rai_maintenance": "一版发布后不再改动。发现的错误在以后的版本中修正或剔除，并逐题说明。",
    "rai_biases": "发出提示的门槛：{gates}。",
    "rai_no_biases": "没有门槛发出提示。",
}

MORE_WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({"en": _EN, "zh": _ZH})
