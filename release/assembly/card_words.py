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
    "limit_people": "The keys were set and checked by people, and people err. Human accuracy and agreement"
    " are not reported in this card.",
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
    "limit_people": "正确选项由人写定、由人核对，人会出错。本说明卡没有报告人的正确率和一致性。",
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
}

WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({"en": _EN, "zh": _ZH})
