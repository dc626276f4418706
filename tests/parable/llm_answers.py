# ruff: noqa: E501 -- a table is read by its rows
"""Answers as models give them, in both languages, with what a person would read out of each."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One answer; `wanted` is how many proposals were asked for."""

    name: str
    text: str
    candidates: tuple[str, ...]
    shape: str
    wanted: int | None = 3


SLOW = "Slow and steady wins the race."
PRIDE = "Pride goes before a fall."
TRUST = "Do not trust flatterers."
THREE = (SLOW, PRIDE, TRUST)
MAN = "骄傲使人落后。"
WEN = "稳扎稳打才能赢得胜利。"
CHAN = "不要轻信奉承的话。"
SAN = (MAN, WEN, CHAN)


ENGLISH_LISTS = (
    Row("plain", f"1. {SLOW}\n2. {PRIDE}\n3. {TRUST}", THREE, "numbered"),
    Row("brackets", f"1) {SLOW}\n2) {PRIDE}\n3) {TRUST}", THREE, "numbered"),
    Row("in brackets", f"(1) {SLOW}\n(2) {PRIDE}\n(3) {TRUST}", THREE, "numbered"),
    Row("square brackets", f"[1] {SLOW}\n[2] {PRIDE}\n[3] {TRUST}", THREE, "numbered"),
    Row("no space", f"1.{SLOW}\n2.{PRIDE}\n3.{TRUST}", THREE, "numbered"),
    Row("dash after number", f"1 - {SLOW}\n2 - {PRIDE}\n3 - {TRUST}", THREE, "numbered"),
    Row("blank lines", f"1. {SLOW}\n\n2. {PRIDE}\n\n3. {TRUST}\n", THREE, "numbered"),
    Row("windows line ends", f"1. {SLOW}\r\n2. {PRIDE}\r\n3. {TRUST}\r\n", THREE, "numbered"),
    Row("lead-in", f"Here are three morals:\n\n1. {SLOW}\n2. {PRIDE}\n3. {TRUST}", THREE, "numbered"),
    Row(
        "lead-in and closing",
        f"Sure! Here you go.\n\n1. {SLOW}\n2. {PRIDE}\n3. {TRUST}\n\nLet me know if you want more!",
        THREE,
        "numbered",
    ),
    Row(
        "closing without a blank line",
        f"1. {SLOW}\n2. {PRIDE}\n3. {TRUST}\nLet me know if you want more!",
        THREE,
        "numbered",
    ),
    Row("bold numbers", f"**1.** {SLOW}\n**2.** {PRIDE}\n**3.** {TRUST}", THREE, "numbered"),
    Row("bold lines", f"**1. {SLOW}**\n**2. {PRIDE}**\n**3. {TRUST}**", THREE, "numbered"),
    Row("bold wording", f"1. **{SLOW}**\n2. **{PRIDE}**\n3. **{TRUST}**", THREE, "numbered"),
    Row("quoted", f'1. "{SLOW}"\n2. "{PRIDE}"\n3. "{TRUST}"', THREE, "numbered"),
    Row("curly quotes", f"1. “{SLOW}”\n2. “{PRIDE}”\n3. “{TRUST}”", THREE, "numbered"),
    Row("italic", f"1. *{SLOW}*\n2. *{PRIDE}*\n3. *{TRUST}*", THREE, "numbered"),
    Row("labels", f"Moral 1: {SLOW}\nMoral 2: {PRIDE}\nMoral 3: {TRUST}", THREE, "numbered"),
    Row(
        "bold labels",
        f"**Moral 1:** {SLOW}\n\n**Moral 2:** {PRIDE}\n\n**Moral 3:** {TRUST}",
        THREE,
        "numbered",
    ),
    Row("letters", f"A. {SLOW}\nB. {PRIDE}\nC. {TRUST}", THREE, "numbered"),
    Row("options with letters", f"Option A: {SLOW}\nOption B: {PRIDE}\nOption C: {TRUST}", THREE, "numbered"),
    Row("roman", f"i. {SLOW}\nii. {PRIDE}\niii. {TRUST}", THREE, "numbered"),
    Row("circled", f"① {SLOW}\n② {PRIDE}\n③ {TRUST}", THREE, "numbered"),
    Row("keycaps", f"1️⃣ {SLOW}\n2️⃣ {PRIDE}\n3️⃣ {TRUST}", THREE, "numbered"),
    Row("escaped dots", f"1\\. {SLOW}\n2\\. {PRIDE}\n3\\. {TRUST}", THREE, "numbered"),
    Row("headings", f"### 1. {SLOW}\n### 2. {PRIDE}\n### 3. {TRUST}", THREE, "numbered"),
    Row("in a quotation", f"> 1. {SLOW}\n> 2. {PRIDE}\n> 3. {TRUST}", THREE, "numbered"),
    Row("all on one line", f"1. {SLOW} 2. {PRIDE} 3. {TRUST}", THREE, "numbered"),
    Row("all on one line after a lead-in", f"Morals: (1) {SLOW} (2) {PRIDE} (3) {TRUST}", THREE, "numbered"),
    Row("every number is one", f"1. {SLOW}\n1. {PRIDE}\n1. {TRUST}", THREE, "numbered"),
    Row("goes on from earlier", f"4. {SLOW}\n5. {PRIDE}\n6. {TRUST}", THREE, "numbered"),
    Row(
        "wrapped lines",
        "1. Slow and steady\n   wins the race.\n2. Pride goes\nbefore a fall.",
        THREE[:2],
        "numbered",
    ),
    Row(
        "explanations below",
        f"1. **{SLOW}**\n   - Explanation: the hare slept.\n2. **{PRIDE}**\n   Reason: he boasted.",
        THREE[:2],
        "numbered",
    ),
    Row(
        "bold wording with prose below",
        f"1. **{SLOW}**\n   This is what the tortoise shows.\n\n2. **{PRIDE}**\n   The hare was too sure.",
        THREE[:2],
        "numbered",
    ),
    Row("titles above", f"1. **Patience**\n   {SLOW}\n2. **Pride**\n   {PRIDE}", THREE[:2], "numbered"),
    Row("bullets below a number", f"1. Moral:\n   - {SLOW}\n2. Moral:\n   - {PRIDE}", THREE[:2], "numbered"),
    Row(
        "steps first, then the morals",
        f"My plan:\n1. Read.\n2. Think.\n\nMorals:\n1. {SLOW}\n2. {PRIDE}\n3. {TRUST}",
        THREE,
        "numbered",
    ),
    Row(
        "morals, then reasons",
        f"1. {SLOW}\n2. {PRIDE}\n3. {TRUST}\n\nWhy they are wrong:\n1. No race.\n2. No fall.\n3. No fox.",
        THREE,
        "numbered",
    ),
    Row(
        "a group for each animal",
        f"For the hare:\n1. {SLOW}\n2. {PRIDE}\n\nFor the crow:\n1. {TRUST}\n2. Sing less.",
        (*THREE, "Sing less."),
        "numbered",
        4,
    ),
    Row(
        "figures in the wording",
        "1. 3.5 coins are few.\n2. At 10:30 the fox slept.",
        ("3.5 coins are few.", "At 10:30 the fox slept."),
        "numbered",
        2,
    ),
    Row("more than wanted", f"1. {SLOW}\n2. {PRIDE}\n3. {TRUST}", THREE, "numbered", 2),
    Row("bullets", f"- {SLOW}\n- {PRIDE}\n- {TRUST}", THREE, "bullets"),
    Row(
        "stars", f"Here are the morals:\n* {SLOW}\n* {PRIDE}\n* {TRUST}\n\nHope this helps!", THREE, "bullets"
    ),
    Row("dots", f"•{SLOW}\n•{PRIDE}\n•{TRUST}", THREE, "bullets"),
    Row("bullets with labels", f"- **Moral:** {SLOW}\n- **Moral:** {PRIDE}", THREE[:2], "bullets"),
    Row(
        "bullets below bullets",
        f"- {SLOW}\n  - the hare slept\n- {PRIDE}\n  - he boasted",
        THREE[:2],
        "bullets",
    ),
    Row(
        "table",
        f"| No. | Moral |\n|---|---|\n| 1 | {SLOW} |\n| 2 | {PRIDE} |\n| 3 | {TRUST} |",
        THREE,
        "table",
    ),
    Row("lines", f"{SLOW}\n{PRIDE}\n{TRUST}", THREE, "lines"),
    Row(
        "lines with chatter",
        f"Here are three:\n\n{SLOW}\n\n{PRIDE}\n\n{TRUST}\n\nI hope this helps.",
        THREE,
        "lines",
    ),
    Row("one line", SLOW, (SLOW,), "single", 1),
    Row("one labelled line", f'**Moral:** "{SLOW}"', (SLOW,), "single", 1),
    Row("the moral and a comment", f"{SLOW}\n\nIt fits the tortoise.", (SLOW,), "single", 1),
    Row(
        "quoted words inside",
        '1. "Wait" is wiser than "now".\n2. A "no" is an answer.',
        ('"Wait" is wiser than "now".', 'A "no" is an answer.'),
        "numbered",
        2,
    ),
    Row(
        "headings above and below",
        "### Wrong morals\n\n1. Be kind.\n2. Be brave.\n\n### Notes\n\n- They're short.\n- They're wrong.",
        ("Be kind.", "Be brave."),
        "numbered",
        2,
    ),
    Row(
        "bullets, then notes",
        "**Wrong morals**\n\n- Be kind.\n- Be brave.\n\n**Notes**\n\n- They're short.",
        ("Be kind.", "Be brave."),
        "bullets",
        2,
    ),
    Row(
        "letters in brackets",
        "(a) Be kind.\n(b) Be brave.\n(c) Be wise.",
        ("Be kind.", "Be brave.", "Be wise."),
        "numbered",
    ),
    Row(
        "the key at the end",
        "A) Be kind.\nB) Be brave.\nCorrect: A",
        ("Be kind.", "Be brave."),
        "numbered",
        2,
    ),
    Row(
        "titles with names",
        "1. Title: Love\n   Moral: Be kind.\n2. Title: War\n   Moral: Be brave.",
        ("Be kind.", "Be brave."),
        "numbered",
        2,
    ),
    Row("as a page", "<ol><li>Be kind.</li><li>Be brave.</li></ol>", ("Be kind.", "Be brave."), "bullets", 2),
    Row("bullet and number", "- 1. Be kind.\n- 2. Be brave.", ("Be kind.", "Be brave."), "numbered", 2),
    Row(
        "rules between",
        "Be kind.\n---\nBe brave.\n---\nBe wise.",
        ("Be kind.", "Be brave.", "Be wise."),
        "lines",
    ),
    Row(
        "lead-in on the line",
        "The lesson, in short: Be kind.",
        ("The lesson, in short: Be kind.",),
        "single",
        1,
    ),
    Row("no colon to cut at", "Sure, be kind and be brave.", ("Sure, be kind and be brave.",), "single", 1),
    Row(
        "sorry, but a moral",
        "Sorry does not mend a broken jug.",
        ("Sorry does not mend a broken jug.",),
        "single",
        1,
    ),
    Row("a refusal that is curly", "I’m sorry, I can’t assist with that request.", (), "refusal"),
    Row("a refusal", "I'm sorry, but I can't help with that.", (), "refusal"),
    Row("nothing", "", (), "empty"),
    Row("blanks", " \n\t\n", (), "empty"),
)

CHINESE_LISTS = (
    Row("顿号", f"1、{MAN}\n2、{WEN}\n3、{CHAN}", SAN, "numbered"),
    Row("点", f"1. {MAN}\n2. {WEN}\n3. {CHAN}", SAN, "numbered"),
    Row("全角点", f"１．{MAN}\n２．{WEN}\n３．{CHAN}", SAN, "numbered"),
    Row("全角括号", f"（1）{MAN}\n（2）{WEN}\n（3）{CHAN}", SAN, "numbered"),
    Row("半括号", f"1）{MAN}\n2）{WEN}\n3）{CHAN}", SAN, "numbered"),
    Row("汉字括号", f"（一）{MAN}\n（二）{WEN}\n（三）{CHAN}", SAN, "numbered"),
    Row("汉字顿号", f"一、{MAN}\n二、{WEN}\n三、{CHAN}", SAN, "numbered"),
    Row("圈号", f"①{MAN}\n②{WEN}\n③{CHAN}", SAN, "numbered"),
    Row("圈号一行", f"①{MAN}②{WEN}③{CHAN}", SAN, "numbered"),
    Row("一行分号", "1、骄傲使人落后；2、稳扎稳打；3、不轻信。", ("骄傲使人落后", "稳扎稳打", "不轻信。"), "numbered"),
    Row("第几条", f"第一条：{MAN}\n第二条：{WEN}\n第三条：{CHAN}", SAN, "numbered"),
    Row("第几个寓意", f"第1个寓意：{MAN}\n第2个寓意：{WEN}\n第3个寓意：{CHAN}", SAN, "numbered"),
    Row("寓意加数字", f"寓意1：{MAN}\n寓意2：{WEN}\n寓意3：{CHAN}", SAN, "numbered"),
    Row("加粗寓意", f"**寓意一：** {MAN}\n**寓意二：** {WEN}\n**寓意三：** {CHAN}", SAN, "numbered"),
    Row("选项字母", f"A．{MAN}\nB．{WEN}\nC．{CHAN}", SAN, "numbered"),
    Row("其一其二", f"其一，{MAN}\n其二，{WEN}\n其三，{CHAN}", SAN, "numbered"),
    Row("开头客套", f"好的，以下是三个寓意：\n\n1. {MAN}\n2. {WEN}\n3. {CHAN}", SAN, "numbered"),
    Row("首尾客套", f"当然可以！\n1、{MAN}\n2、{WEN}\n3、{CHAN}\n\n希望这些对你有帮助！", SAN, "numbered"),
    Row("客套同行", f"以下是三个寓意：1. {MAN}2. {WEN}3. {CHAN}", SAN, "numbered"),
    Row("引号", f"1. “{MAN}”\n2. “{WEN}”\n3. “{CHAN}”", SAN, "numbered"),
    Row("直角引号", f"1. 「{MAN}」\n2. 「{WEN}」\n3. 「{CHAN}」", SAN, "numbered"),
    Row("加粗", f"1. **{MAN}**\n2. **{WEN}**\n3. **{CHAN}**", SAN, "numbered"),
    Row("附解释", f"1. {MAN}\n   解释：兔子睡着了。\n2. {WEN}\n   理由：乌龟不停。", SAN[:2], "numbered"),
    Row("小标题", f"1. **谦虚**\n   {MAN}\n2. **坚持**\n   {WEN}", SAN[:2], "numbered"),
    Row("分组", f"一、错误寓意：\n1. {MAN}\n2. {WEN}\n3. {CHAN}\n二、说明：\n1. 都不对。", SAN, "numbered"),
    Row("十条以上", "\n".join(f"{n}、做人要有第{n}种耐心。" for n in range(1, 13)), tuple(f"做人要有第{n}种耐心。" for n in range(1, 13)), "numbered", 12),
    Row("换行续写", "1. 骄傲使人\n落后。\n2. 稳扎稳打才能\n赢得胜利。", SAN[:2], "numbered"),
    Row("圆点", f"· {MAN}\n· {WEN}\n· {CHAN}", SAN, "bullets"),
    Row("短横", f"-{MAN}\n-{WEN}\n-{CHAN}", SAN, "bullets"),
    Row("表格", f"| 序号 | 寓意 |\n| --- | --- |\n| 1 | {MAN} |\n| 2 | {WEN} |", SAN[:2], "table"),
    Row("逐行", f"好的，以下是三个寓意：\n{MAN}\n{WEN}\n{CHAN}", SAN, "lines"),
    Row("一句", f"寓意：{MAN}", (MAN,), "single", 1),
    Row("标号独行", "寓意1\n要懂得分享。\n\n寓意2\n要学会感恩。", ("要懂得分享。", "要学会感恩。"), "numbered", 2),
    Row("只有空格", "1 要懂得分享。\n2 要学会感恩。", ("要懂得分享。", "要学会感恩。"), "numbered", 2),
    Row("一是二是", "一是要分享；二是要感恩；三是要勤劳。", ("要分享", "要感恩", "要勤劳。"), "numbered"),
    Row("故事告诉我们", f"这个故事告诉我们：{MAN}", (MAN,), "single", 1),
    Row("没有列表", "以下是三个寓意：要分享、要感恩、要勤劳。", ("要分享、要感恩、要勤劳。",), "single"),
    Row("AI 拒绝", "作为一个AI语言模型，我不能生成此类内容。", (), "refusal"),
    Row("拒绝", "抱歉，我无法回答这个问题。", (), "refusal"),
)  # fmt: skip

JSON_ANSWERS = (
    Row("array", f'["{SLOW}", "{PRIDE}", "{TRUST}"]', THREE, "json"),
    Row("fenced array", f'```json\n["{SLOW}", "{PRIDE}", "{TRUST}"]\n```', THREE, "json"),
    Row("object with a list", f'{{"morals": ["{SLOW}", "{PRIDE}", "{TRUST}"]}}', THREE, "json"),
    Row(
        "fence in chatter",
        f'Sure, here it is:\n```\n{{"candidates": ["{SLOW}", "{PRIDE}"]}}\n```\nLet me know!',
        THREE[:2],
        "json",
    ),
    Row(
        "array of objects",
        f'[{{"id": 1, "moral": "{SLOW}", "reason": "The hare slept in the sun for far too long that day."}},'
        f' {{"id": 2, "moral": "{PRIDE}", "reason": "no"}}]',
        THREE[:2],
        "json",
    ),
    Row("numbered names", f'{{"1": "{SLOW}", "2": "{PRIDE}", "3": "{TRUST}"}}', THREE, "json"),
    Row("names with numbers", f'{{"moral_1": "{SLOW}", "moral_2": "{PRIDE}"}}', THREE[:2], "json"),
    Row("nested", f'{{"data": {{"morals": [{{"text": "{SLOW}"}}, {{"text": "{PRIDE}"}}]}}}}', THREE[:2], "json"),
    Row("one object a line", f'{{"moral": "{SLOW}"}}\n{{"moral": "{PRIDE}"}}\n{{"moral": "{TRUST}"}}', THREE, "json"),
    Row("reasoning beside", f'{{"reasoning": "long words", "morals": ["{SLOW}", "{PRIDE}"]}}', THREE[:2], "json"),
    Row("numbers inside strings", f'["1. {SLOW}", "2. {PRIDE}"]', THREE[:2], "json"),
    Row("single quotes", f"['{SLOW}', '{PRIDE}', 'It\\'s late.']", (*THREE[:2], "It's late."), "json"),
    Row("trailing comma", f'["{SLOW}", "{PRIDE}",]', THREE[:2], "json"),
    Row("bare names", f'{{morals: ["{SLOW}", "{PRIDE}"]}}', THREE[:2], "json"),
    Row("unescaped quotes", '["He said "no" twice.", "Wait."]', ('He said "no" twice.', "Wait."), "json"),
    Row("escapes", '["\\u9a84\\u50b2\\u4f7f\\u4eba\\u843d\\u540e\\u3002", "a \\"b\\" c"]', (MAN, 'a "b" c'), "json"),
    Row("draft, then answer", f'Draft: ["x y", "z w"]\nFinal: ["{SLOW}", "{PRIDE}"]', THREE[:2], "json"),
    Row("a whole item", '{"question": "What?", "options": {"A": "Be kind.", "B": "Be brave."}, "answer": "A"}', ("Be kind.", "Be brave."), "json", 2),
    Row("letters and a key", '{"A": "Be kind.", "B": "Be brave.", "answer": "B"}', ("Be kind.", "Be brave."), "json", 2),
    Row("objects inside an object", '{"morals": {"moral1": {"text": "Be kind.", "why": "x"}, "moral2": {"text": "Be brave."}}}', ("Be kind.", "Be brave."), "json", 2),
    Row("no commas", '["Be kind."\n"Be brave."]', ("Be kind.", "Be brave."), "json", 2),
    Row("numbered objects", '1. {"moral": "Be kind."}\n2. {"moral": "Be brave."}', ("Be kind.", "Be brave."), "json", 2),
    Row("cut in a string", f'{{"morals": ["{SLOW}", "{PRIDE}", "Do not tru', THREE[:2], "json_cut"),
    Row("cut after a comma", f'```json\n["{SLOW}", "{PRIDE}",\n', THREE[:2], "json_cut"),
    Row("cut in an object", f'[{{"moral": "{SLOW}", "why": "x"}}, {{"moral": "Pride go', (SLOW,), "json_cut"),
    Row("cut before anything", '```json\n{"morals": ["Slow and', (), "json_cut"),
    Row("cut after a bracket", '{"morals": [', (), "json_cut"),
    Row("中文数组", f'["{MAN}", "{WEN}", "{CHAN}"]', SAN, "json"),
    Row("中文键名", f'{{"寓意": ["{MAN}", "{WEN}"], "理由": ["甲", "乙"]}}', SAN[:2], "json"),
    Row("中文对象", f'好的：\n```json\n[{{"序号": 1, "错误寓意": "{MAN}", "解释": "因为兔子在路边睡着了而且睡得很久。"}}]\n```', (MAN,), "json"),
    Row("中文引号", f"[“{MAN}”，“{WEN}”]", SAN[:2], "json"),
    Row("中文截断", f'{{"寓意": ["{MAN}", "{WEN}", "不要轻', SAN[:2], "json_cut"),
    Row("编号键名", f'{{"寓意一": "{MAN}", "寓意二": "{WEN}"}}', SAN[:2], "json"),
)  # fmt: skip

THINKING = (
    Row(
        "think block", f"<think>\n1. Hm.\n2. Well.\n</think>\n\n1. {SLOW}\n2. {PRIDE}", THREE[:2], "numbered"
    ),
    Row("empty block", f"<think>\n\n</think>\n\n1. {SLOW}\n2. {PRIDE}", THREE[:2], "numbered"),
    Row("no opening", f"Let me see: 1. Hm. 2. Well.\n</think>\n1. {SLOW}\n2. {PRIDE}", THREE[:2], "numbered"),
    Row("never closed", "<think>\nLet me list them.\n1. Perhaps pride\n2. Perhaps", (), "thinking"),
    Row(
        "closed, opened again", f"<think>a</think>\n1. {SLOW}\n2. {PRIDE}\n<think>more", THREE[:2], "numbered"
    ),
    Row("an end at the end", f"1. {SLOW}\n2. {PRIDE}\n</think>", THREE[:2], "numbered"),
    Row("other tag", f"<thinking>x</thinking><answer>1. {SLOW}\n2. {PRIDE}</answer>", THREE[:2], "numbered"),
    Row("json in the thoughts", f'<think>["x", "y", "z"]</think>["{SLOW}", "{PRIDE}"]', THREE[:2], "json"),
    Row(
        "想一想",
        f"<think>\n好的，用户要三个寓意。\n1. 先想\n</think>\n1. {MAN}\n2. {WEN}",
        SAN[:2],
        "numbered",
    ),
    Row("没想完", "<think>好的，我先想一想：第一，", (), "thinking"),
)

ROWS = ENGLISH_LISTS + CHINESE_LISTS + JSON_ANSWERS + THINKING
