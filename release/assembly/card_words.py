"""The sentences of the data card, in both languages.

Not translated through the site's catalogue: the card is part of a release's bytes, so a sentence changes
only with the layout's number.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_EN: Final = {
    "about": "{items} multiple-choice items about {stories} stories, version {version}.",
    "empty_description": "No description has been written for this set.",
    "content": "What is in it",
    "task": "Task",
    "style": "Style",
    "type": "Commonsense type",
    "dev": "dev",
    "test": "test",
    "all": "all",
    "sum": "together",
    "commonsense": "commonsense reasoning",
    "moral": "moral understanding",
    "human": "human",
    "machine": "machine",
    "only_kinds": "It takes only these of the verified items: {kinds}.",
    "only_rated": "It takes only items to which every reviewer of the wording last rated gave at least"
    " {rating}; items that nobody rated are left out.",
    "two_types": "An item of two types counts in both.",
    "splits": "Dev and test",
    "by_story": "Whole stories stand in dev or in test; no story stands in both. Dev was to hold {share} of"
    " the items and holds {got}.",
    "by_item": "Single items were drawn, not stories: {shared} of {test} test items share their story with"
    " a dev item, so the test also measures memory for dev. In the CRMUS layout the field `domain` of a dev"
    " item says whether its story is in the test, too. Dev was to hold {share} of the items and holds"
    " {got}.",
    "keys_even": "In each task, split and number of options the key stands at every position equally often,"
    " give or take one item. Its position and the order of the wrong options were drawn; the writers' order"
    " is not in these files.",
    "keys_in_order": "The options of {items} items are numbers and stand in the order of their size, from the"
    " smallest up. Where their keys stand follows from that; these items are no part of the counts above.",
    "keys_kept": "The key's position and the order of the wrong options were drawn; the writers' order is not"
    " in these files. Items kept from {version} keep the places of their options, so in a task, split and"
    " number of options the counts of keys over the positions may differ by up to: {apart}.",
    "seed": "The seed was {seed}.",
    "seed_hash": "The answers of the test are withheld, and so is the seed, of 128 random bits. Its SHA-256"
    " is `{hash}`.",
    "making": "How it was made",
    "writers": "People who wrote items in Parable: {writers}.",
    "named_writers": "Names that came with imported files as writers: {named_writers}.",
    "judged_here": "{judged_here} items were solved before their key was shown, judged, and confirmed in"
    " Parable, by people who had written no wording of them ({reviewers} reviewers, {verifiers} verifiers).",
    "brought_verified": "{brought_verified} items came in from files, already marked as verified. Parable"
    " has not seen how they were judged.",
    "reviewer_may_verify": "In this project a reviewer of an item may also have verified it.",
    "machine_made": "{machine} items have options that language models proposed and people chose and"
    " reworded: {generators}.",
    "machine_unnamed": "{machine} items have options that language models proposed and people chose and"
    " reworded. The models are not recorded.",
    "older_wording": "{older_wording} items were judged on an earlier wording of their story.",
    "gates": "Gates",
    "gates_about": "What the set had to pass before it went out.",
    "gate": "Gate",
    "verdict": "Verdict",
    "figure": "Figure",
    "range": "95 % interval",
    "from_to": "{low} to {high}",
    "threshold": "Threshold",
    "ok": "passed",
    "warning": "warning",
    "error": "not passed, allowed",
    "not_applicable": "not applicable",
    "allowed": "A manager let these gates pass: {gates}. The reason given: {reason}",
    "licence": "Licence and rights",
    "items_licence": "The items: {licence}.",
    "items_unlicensed": "No licence of the items has been stated. Ask before you use them.",
    "rights": "Rights of the story",
    "stories": "Stories",
    "unknown": "unknown",
    "limits": "Limits",
    "limit_withheld": "The answers of the test are not in these files.",
    "limit_crmus": "The CRMUS layout has fixed fields, so its files carry neither style nor explanation nor"
    " canary.",
    "since": "What has changed since {version}",
    "since_about": "This release extends {version}: items that stay keep their id, their split and the places"
    " of their options. {same} are as they were, {mended} were mended, {retired} retired, {held_back} are"
    " being looked at again, {returned} came back, {added} are new.",
    "erratum_id": "Item",
    "erratum_change": "What happened",
    "erratum_fields": "Fields",
    "erratum_note": "Note",
    "change_mended": "mended",
    "change_retired": "retired",
    "change_held_back": "being looked at again",
    "change_returned": "came back",
    "errata_about": "`errata.jsonl` lists these changes and those of the versions before, one JSON object a"
    " line. Figures of different versions are compared on the items that both hold unchanged.",
    "errors": "Errors",
    "contact": "Whoever finds an error is asked to report it to {contact}, with the id of the item, the"
    " version ({version}) and the canary.",
    "files": "Files",
    "file_jsonl": "`dev/*.jsonl`, `test/*.jsonl`: one JSON object a line, UTF-8. `answer` is the position"
    " of the key in `choices`, counted from 0; -1 where it is withheld.",
    "file_crmus": "`crmus/`: the same items in the layout of the CRMUS data set.",
    "file_sums": "`SHA256SUMS`: check with `sha256sum -c SHA256SUMS`. `MANIFEST.json` alone holds a date.",
    "canary": "Canary",
    "canary_about": "This is benchmark data. It should never stand in the training data of a model. Canary"
    " GUID: `{canary}`",
    "comma": ", ",
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
    "providers": "What models were sent before",
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
    "nothing_sent": "No language model was sent a story, a moral or an item of this release before it"
    " was built.",
    "sent_about": "Before this release was built, these models were sent stories, morals or whole"
    " items of it, whose makers may keep what they are sent. The moral of a story is the key of its"
    " moral items, in the same or other words. Measure these models with that in mind.",
    "sent_stories": "Stories",
    "sent_morals": "Morals",
    "sent_items": "Whole items",
}

_ZH: Final = {
    "about": "{version} 版，{stories} 个故事，{items} 道选择题。",
    "empty_description": "本数据集还没有写简介。",
    "content": "内容",
    "task": "任务",
    "style": "风格",
    "type": "常识类型",
    "dev": "开发集",
    "test": "测试集",
    "all": "全部",
    "sum": "合计",
    "commonsense": "常识推理",
    "moral": "寓意理解",
    "human": "人工",
    "machine": "机器",
    "only_kinds": "在已核定的题目中，只收这些：{kinds}。",
    "only_rated": "只收最近一次评分的版本中每位审核者都给出至少 {rating} 分的题目；没有评分的题目不收。",
    "two_types": "一题属于两种类型时，两处各计一次。",
    "splits": "开发集与测试集",
    "by_story": "按故事划分：一个故事的题目或全在开发集，或全在测试集。开发集应占 {share}，实占 {got}。",
    "by_item": "按单题抽取，不按故事：{test} 道测试题中有 {shared} 道与开发题同出一个故事，因此测试也会量到"
    "对开发集的记忆。CRMUS 格式中，开发题的 `domain` 说明它的故事是否也在测试集。开发集应占 {share}，实占"
    " {got}。",
    "keys_even": "每个任务、每个集合、每种选项数之内，正确选项在各个位置上出现的次数最多相差一题。它的位置"
    "和干扰项的次序都由抽签决定；这些文件里没有编写者的次序。",
    "keys_in_order": "有 {items} 题的选项是数字，按大小从小到大排列，正确选项的位置由此而定，"
    "不计入上面的次数。",
    "keys_kept": "正确选项的位置和干扰项的次序都由抽签决定；这些文件里没有编写者的次序。承自 {version} 的题"
    "目，选项保持原位，所以每个任务、每个集合、每种选项数之内，正确选项在各个位置上的次数最多相差：{apart}。",
    "seed": "种子是 {seed}。",
    "seed_hash": "测试集不公布答案，种子也保密，为 128 位随机数，其 SHA-256 为 `{hash}`。",
    "making": "怎样做成",
    "writers": "在 Parable 中编写题目的有 {writers} 人。",
    "named_writers": "随文件导入的编写者名字有 {named_writers} 个。",
    "judged_here": "{judged_here} 题在 Parable 中由没有写过该题的人先作答、再看正确选项，然后评判并确认（审"
    "核 {reviewers} 人，复核 {verifiers} 人）。",
    "brought_verified": "{brought_verified} 题从文件导入时已标为已核定；它们怎样评判，Parable 没有看到。",
    "reviewer_may_verify": "本项目允许一题的审核者同时是它的复核者。",
    "machine_made": "{machine} 题的选项由语言模型提出、由人挑选并改写：{generators}。",
    "machine_unnamed": "{machine} 题的选项由语言模型提出、由人挑选并改写；没有记下是哪些模型。",
    "older_wording": "{older_wording} 题评判时，故事用的是较早的文字。",
    "gates": "门槛",
    "gates_about": "发布之前，整套题必须通过的检查。",
    "gate": "门槛",
    "verdict": "结论",
    "figure": "数值",
    "range": "95 % 区间",
    "from_to": "{low} 至 {high}",
    "threshold": "界限",
    "ok": "通过",
    "warning": "留意",
    "error": "未过，已放行",
    "not_applicable": "不适用",
    "allowed": "负责人放行了这些门槛：{gates}。理由：{reason}",
    "licence": "许可与权利",
    "items_licence": "题目的许可：{licence}。",
    "items_unlicensed": "没有写明题目的许可，使用之前请先询问。",
    "rights": "故事的权利",
    "stories": "故事数",
    "unknown": "不明",
    "limits": "局限",
    "limit_withheld": "这些文件里没有测试集的答案。",
    "limit_crmus": "CRMUS 格式的字段是固定的，所以其中没有风格、解释和识别串。",
    "since": "自 {version} 以来的变化",
    "since_about": "本版承接 {version}：留下的题目，编号、所属集合和选项位置都不变。{same} 题照旧，"
    "{mended} 题已修正，{retired} 题已退役，{held_back} 题正在重新查看，{returned} 题回归，"
    "{added} 题为新增。",
    "erratum_id": "题目",
    "erratum_change": "变化",
    "erratum_fields": "字段",
    "erratum_note": "说明",
    "change_mended": "已修正",
    "change_retired": "已退役",
    "change_held_back": "正在重新查看",
    "change_returned": "回归",
    "errata_about": "`errata.jsonl` 列出这些变化以及此前各版的变化，每行一个 JSON 对象。不同版本的成绩，"
    "应在两版都有且没有改动的题目上比较。",
    "errors": "勘误",
    "contact": "发现错误，请告知 {contact}，并写明题目编号、版本（{version}）和识别串。",
    "files": "文件",
    "file_jsonl": "`dev/*.jsonl`、`test/*.jsonl`：每行一个 JSON 对象，UTF-8 编码。`answer` 是正确选项在"
    " `choices` 中的位置，从 0 数起；不公布时为 -1。",
    "file_crmus": "`crmus/`：同样的题目，CRMUS 数据集的格式。",
    "file_sums": "`SHA256SUMS`：用 `sha256sum -c SHA256SUMS` 核对。只有 `MANIFEST.json` 里有日期。",
    "canary": "识别串",
    "canary_about": "这是评测数据，不应出现在任何模型的训练数据中。识别串：`{canary}`",
    "comma": "、",
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
    "providers": "哪些模型先收到过内容",
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
    "nothing_sent": "本版构建之前，没有把本版的任何故事、寓意或题目发给语言模型。",
    "sent_about": "本版构建之前，下列模型收到过本版的故事、寓意或整道题目，其提供者可能留存收到的"
    "内容。故事的寓意就是其寓意题的正确选项，只是措辞可能不同。评测这些模型时请留意。",
    "sent_stories": "故事",
    "sent_morals": "寓意",
    "sent_items": "整道题目",
}

WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({"en": _EN, "zh": _ZH})
