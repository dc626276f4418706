"""What the living style page shows in Chinese."""

from __future__ import annotations

from typing import Any, Final

from parable import charts
from parable.charts import Field, Row
from web.long_list import marked

SAMPLE: Final[dict[str, Any]] = {
    "key": "zh",
    "language": "zh",
    "title": "信得过薄冰的鹭",
    "byline": "为本页而写 · 修订 2",
    "text": (
        "湖湾里住着一只鹭。入冬以前，它用石头在浅水里围了一个小池，赶进几十条小鱼，心想：天一冷，鱼就懒得动，"
        "我什么时候饿了，就什么时候来吃。\n"
        "头一夜，池面结了一层薄冰。鹭伸嘴一啄，冰就碎了，它叼出两条鱼，站在雪地里慢慢地吃。野鸭路过，劝它趁早搬到"
        "不结冰的河口去。鹭说：“这么薄的冰，有什么可怕的？”\n"
        "第三天夜里刮起了北风。清早，鹭走到池边，冰已经有一掌厚。小鱼就停在冰下，连鳞片都看得清清楚楚，"
        "却一条也够不着。\n"
        "它啄了整整一个上午，只在冰上留下一串白点。傍晚，野鸭从河口飞回来看它，脚上还滴着水。"
    ),
    "stem": "第三天清早，鹭看得见小鱼，为什么却吃不到？",
    "options": [
        {"number": 1, "value": 0, "cap": "1", "text": "湖水变得太浑，它看错了地方", "count": "13 字"},
        {
            "number": 2,
            "value": 1,
            "cap": "2",
            "text": "冰冻得太厚，它的嘴已经啄不破了",
            "count": "15 字",
            "key": True,
            "warning": "最长，是正确选项",
            "marks": [
                {"label": "你的答案"},
                {"label": "正确选项", "tone": "good"},
            ],
        },
        {"number": 3, "value": 2, "cap": "3", "text": "小鱼受了惊，躲进石头缝里", "count": "12 字"},
        {"number": 4, "value": 3, "cap": "4", "text": "野鸭赶在天亮前把鱼吃光了", "count": "12 字"},
    ],
    "explanation": "北风一夜，气温骤降，冰从薄薄一层冻到一掌厚；鹭的嘴能啄碎薄冰，啄不破厚冰。",
    "types_legend": "常识类型（可多选）",
    "types": [
        {"value": "social", "label": "社会"},
        {"value": "biological", "label": "生物"},
        {"value": "temporal", "label": "时间"},
        {"value": "spatial", "label": "空间"},
        {"value": "physical", "label": "物理", "checked": True},
    ],
    "rating_legend": "评分",
    "ratings": [
        {"value": "0", "label": "不合格", "key": "0"},
        {"value": "1", "label": "合格", "key": "1", "checked": True},
        {"value": "2", "label": "优秀", "key": "2"},
    ],
    "verb_legend": "处理",
    "verbs": [
        {"value": "pass", "label": "通过"},
        {"value": "edit", "label": "修改", "checked": True},
        {"value": "return", "label": "退回"},
        {"value": "reject", "label": "拒绝"},
    ],
    "flaw_legend": "缺陷",
    "flaws": [
        {"value": "no_right_option", "label": "没有正确选项"},
        {"value": "two_right_options", "label": "两个正确选项"},
        {"value": "answerable_without_story", "label": "不读故事也能作答"},
        {"value": "trivial_distractor", "label": "干扰项太弱", "checked": True},
        {"value": "unclear_stem", "label": "题干不清楚"},
    ],
    "ways_out_legend": "四项之外",
    "ways_out": [
        {"value": "none_fits", "label": "都不正确", "key": "0"},
        {"value": "several_fit", "label": "不止一个正确", "key": "9"},
    ],
    "diff": [
        ("equal", "野鸭赶在天亮前"),
        ("delete", "把鱼吃光了"),
        ("insert", "凿冰叼走了小鱼"),
    ],
    "chips": [
        {"label": "草稿"},
        {"label": "已核定", "tone": "good"},
        {"label": "一条警告", "tone": "careful"},
        {"label": "已停用", "tone": "wrong", "icon": "leave"},
    ],
    "buttons": {
        "primary": "提交第 3 题",
        "plain": "让模型试做",
        "quiet": "丢弃草稿",
        "small": "再试一次",
        "disabled": "冻结发布",
        "reason": "还有一项质量检查没有通过。",
        "icon": "下载",
    },
    "form": {
        "name": "项目名称",
        "slug": "短名",
        "slug_help": "小写字母、数字和连字符；定下以后不再改。",
        "slug_error": "“Winter Fables”里有大写字母和空格，试试 winter-fables。",
        "slug_value": "Winter Fables",
        "language": "语言",
        "languages": [("zh", "中文"), ("en", "英文")],
        "people": "成员，一行一个名字",
        "people_value": "林知夏\n周 远\nMarta Nowak",
        "lease": "每题审核时限（分钟）",
        "verify": "审核者可以复核",
        "verify_help": "人手少的时候用；会印在说明卡上。",
        "roles": "角色",
        "role_choices": [("writer", "编写"), ("reviewer", "审核")],
        "file": "故事文件",
        "file_hint": "JSONL、CSV 或 XLSX，最大 20 MB。先给你看预览，再导入。",
    },
    "hint": {"about": "一致性", "text": "1 表示完全一致，0 为偶然水平。"},
    "meter": {
        "label": "为 150 个故事起草寓意候选",
        "done": 412,
        "all": 600,
        "note": "每分钟 38 条 · 还要约 5 分钟 · 已花 3.20 元，预算 10 元 · 失败 6（超时 4，拒答 2）",
    },
    "notices": [
        {
            "tone": "careful",
            "title": "正确选项最长：15 字，其余平均 12 字。",
            "text": "只看长短就能猜中的题，量不出理解。删去“已经”，或把一个干扰项写得一样具体。",
        },
        {"tone": "wrong", "title": "没有标出正确选项。", "text": "点一点它前面的圆点；标出以后才能提交。"},
        {"tone": "good", "title": "已提交，送去审核。"},
        {"title": "你已查看寓意，对这个故事寓意题的作答不再算盲答。编写不受影响。", "icon": "clock"},
    ],
    "empty": {
        "title": "没有等你的题。",
        "text": "3 题在别的审核者手里，最晚 14:05 放回；你自己写的 2 题不会给你看。",
        "action": "去写一题",
    },
    "cards": [
        {
            "label": "审核",
            "big": "12 题待处理",
            "text": "大约 40 分钟。2 题明天到期。",
            "action": "审核下一题",
        },
        {"label": "编写", "big": "还差 5 题", "text": "第 3 题是草稿，14:02 已保存。", "action": "继续编写"},
    ],
    "figures": [
        {"name": "写成并提交", "value": "9 题"},
        {"name": "先作答，答对", "value": "27 / 31"},
        {"name": "评分一致性", "value": "0.71 [0.66, 0.76]", "note": "n = 402"},
    ],
    "timeline": [
        {
            "when": "9 月 3 日",
            "iso": "2026-09-03",
            "icon": "pencil",
            "title": "写成，按编写指南第 3 版",
        },
        {
            "when": "9 月 8 日",
            "iso": "2026-09-08",
            "icon": "eye",
            "title": "审核：先作答，答对；评分 1",
            "detail": "缺陷：干扰项太弱",
        },
        {
            "when": "9 月 9 日",
            "iso": "2026-09-09",
            "icon": "pencil",
            "title": "修改，第 2 版，审核者提出并被采纳",
            "parts": [
                ("equal", "野鸭赶在天亮前"),
                ("delete", "把鱼吃光了"),
                ("insert", "凿冰叼走了小鱼"),
            ],
        },
        {
            "when": "9 月 12 日",
            "iso": "2026-09-12",
            "icon": "check",
            "tone": "good",
            "title": "复核通过",
        },
        {
            "when": "11 月 2 日",
            "iso": "2026-11-02",
            "icon": "leave",
            "tone": "wrong",
            "title": "停用于 1.0.1，勘误 2",
        },
    ],
    "table": {
        "label": "发布 1.0.0 的文件",
        "head": ["文件", "题数", "大小", "SHA-256"],
        "rows": [
            ["dev/commonsense.jsonl", "240", "188 KB", "9f3c61d2a07e…41be"],
            ["test/moral.jsonl", "480", "381 KB", "e8065a1fc394…27dd"],
        ],
    },
    "plot": {
        "caption": "总选最长的选项，n = 620；虚线为随机，短线为界限",
        "label": "34.5%，95% 区间 30.9 到 38.3，随机 25%",
        "rows": [["", "数值", "区间"], ["寓意题", "34.5%", "[30.9, 38.3]"]],
        "charts": [
            charts.by_row(
                "正确率",
                [
                    Row("鹭鸶二号", "68 %", dots=[("dot", 0.68), ("open", 0.5)], span=(0.5, 0.68)),
                    Row("名字相当长的一个模型", parts=[("part right", 0.4, ""), ("part wrong", 0.6, "")]),
                ],
                charts.shares("zh"),
                chance=0.25,
                legend=[("part right", "答对"), ("part wrong", "答错")],
            ),
            charts.grid("正确率", ["A", "B"], [("鹭鸶二号", [Field("-9.5", -1), Field("9.5", 1)])]),
            charts.plane(
                "正确率",
                charts.numbers(-4, 4, "能力"),
                charts.numbers(0, 1, most=4),
                bars=[(-1, 0, 0.4)],
                curve=[(-4, 0.2), (0, 0.5), (4, 0.9)],
                people=[(-2, "鹭鸶二号")],
                chance=0.5,
            ),
            charts.columns("A 2 · B 4", [2, 4]),
        ],
    },
    "link_label": "邀请链接",
    "link": "https://parable.example/invitations/Jt3mPq7Z-example",
    "dialog": {
        "open": "丢弃草稿……",
        "title": "丢弃第 3 题的草稿",
        "text": "草稿在回收站保留 30 天。",
        "action": "丢弃",
    },
    "views": [("figures", "数据"), ("people", "人员")],
    "found": marked("一只从不停步的乌龟赢了比赛。", ["乌龟"]),
    "tabs": ["第 1 题", "第 2 题", "第 3 题"],
    "filter": {"search": "查找", "state": "状态", "any": "全部", "action": "筛选"},
    "foot": {"far": "这个故事 2 / 4 题已提交", "warn": "1 条提醒待回应"},
    "saved": "草稿 14:02 已保存",
    "missing": "这个故事还缺时间常识、空间常识",
    "labels": {
        "stem": "题干",
        "options": "选项",
        "options_note": "圆点标出正确选项；其余三项是干扰项",
        "explanation": "解释",
        "title": "题目",
    },
}
