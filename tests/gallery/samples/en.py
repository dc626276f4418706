"""What the living style page shows in English."""

from __future__ import annotations

from typing import Any, Final

from parable import charts
from parable.charts import Field, Row
from web.long_list import marked

SAMPLE: Final[dict[str, Any]] = {
    "key": "en",
    "language": "en",
    "title": "The Heron Who Trusted Thin Ice",
    "byline": "Written for this page · text revision 2",
    "text": (
        "A heron lived in the bend of a lake. Before winter it laid a ring of stones in the shallows and "
        "drove a few dozen little fish inside. In the cold, it thought, fish are too sluggish to leave, "
        "and I shall dine whenever I please.\n"
        "On the first night a skin of ice grew over the pool. One peck and it broke; the heron pulled "
        "out two fish and ate them slowly, standing in the snow. A duck passing by told it to move to "
        "the river mouth, where the water never froze. “Ice as thin as this,” said the heron, “what is "
        "there to fear?”\n"
        "On the third night a north wind rose. In the morning the ice was as thick as a hand is broad. "
        "The fish hung just beneath it, every scale plain to see, and not one of them could be had.\n"
        "The heron pecked until noon and left nothing but a row of white dots. Towards evening the duck "
        "flew in from the river mouth to see how it was, water still dripping from its feet."
    ),
    "stem": "On the third morning, why could the heron see the fish but not eat them?",
    "options": [
        {
            "number": 1,
            "value": 0,
            "cap": "1",
            "text": "The water had grown too murky to aim in",
            "count": "39 characters",
        },
        {
            "number": 2,
            "value": 1,
            "cap": "2",
            "text": "The ice had become too thick for its bill to break",
            "count": "50 characters",
            "key": True,
            "warning": "longest, is the key",
            "marks": [{"label": "your answer"}, {"label": "key", "tone": "good"}],
        },
        {
            "number": 3,
            "value": 2,
            "cap": "3",
            "text": "The fish had taken fright and hid among stones",
            "count": "46 characters",
        },
        {
            "number": 4,
            "value": 3,
            "cap": "4",
            "text": "The duck had eaten them all before sunrise",
            "count": "42 characters",
        },
    ],
    "explanation": (
        "A night of north wind freezes the skin of ice to the breadth of a hand. "
        "A bill breaks thin ice, not thick ice."
    ),
    "types_legend": "Commonsense types (one or more)",
    "types": [
        {"value": "social", "label": "Social"},
        {"value": "biological", "label": "Biological"},
        {"value": "temporal", "label": "Temporal"},
        {"value": "spatial", "label": "Spatial"},
        {"value": "physical", "label": "Physical", "checked": True},
    ],
    "rating_legend": "Rating",
    "ratings": [
        {"value": "0", "label": "Unqualified", "key": "0"},
        {"value": "1", "label": "Qualified", "key": "1", "checked": True},
        {"value": "2", "label": "Excellent", "key": "2"},
    ],
    "verb_legend": "Verdict",
    "verbs": [
        {"value": "pass", "label": "Pass"},
        {"value": "edit", "label": "Edit", "checked": True},
        {"value": "return", "label": "Return"},
        {"value": "reject", "label": "Reject"},
    ],
    "flaw_legend": "Flaws",
    "flaws": [
        {"value": "no_right_option", "label": "No right option"},
        {"value": "two_right_options", "label": "Two right options"},
        {"value": "answerable_without_story", "label": "Answerable without the story"},
        {"value": "trivial_distractor", "label": "Trivial distractor", "checked": True},
        {"value": "unclear_stem", "label": "Unclear stem"},
    ],
    "ways_out_legend": "None of the options alone",
    "ways_out": [
        {"value": "none_fits", "label": "None of these", "key": "0"},
        {"value": "several_fit", "label": "More than one", "key": "9"},
    ],
    "diff": [
        ("equal", "The duck had "),
        ("delete", "eaten them all"),
        ("insert", "cut them from the ice"),
        ("equal", " before sunrise"),
    ],
    "chips": [
        {"label": "draft"},
        {"label": "verified", "tone": "good"},
        {"label": "one warning", "tone": "careful"},
        {"label": "retired", "tone": "wrong", "icon": "leave"},
    ],
    "buttons": {
        "primary": "Submit item 3",
        "plain": "Try on a model",
        "quiet": "Discard draft",
        "small": "Try again",
        "disabled": "Freeze release",
        "reason": "One gate has not been passed.",
        "icon": "Download",
    },
    "form": {
        "name": "Name of the project",
        "slug": "Name in the address",
        "slug_help": "Lower-case letters, digits and hyphens; fixed once chosen.",
        "slug_error": "“Winter Fables” has capitals and a space; try winter-fables.",
        "slug_value": "Winter Fables",
        "language": "Language",
        "languages": [("zh", "Chinese"), ("en", "English")],
        "people": "Members, one name a line",
        "people_value": "林知夏\nZhou Yuan\nMarta Nowak",
        "lease": "Minutes a place is held",
        "verify": "Reviewers may verify",
        "verify_help": "For small teams; it is printed in the card.",
        "roles": "Roles",
        "role_choices": [("writer", "Item writer"), ("reviewer", "Reviewer")],
        "file": "Story file",
        "file_hint": "JSONL, CSV or XLSX, up to 20 MB. You see a preview before anything is imported.",
    },
    "hint": {"about": "Agreement", "text": "1 is full agreement, 0 is what chance alone would give."},
    "meter": {
        "label": "Drafting moral candidates for 150 stories",
        "done": 412,
        "all": 600,
        "note": "38 a minute · 5 minutes left · 3.20 of 10 CNY spent · 6 failed (4 time-outs, 2 refusals)",
    },
    "notices": [
        {
            "tone": "careful",
            "title": "The key is the longest option: 50 characters, the others 42 on average.",
            "text": "Length alone gives it away, so it measures no understanding. Shorten the key.",
        },
        {
            "tone": "wrong",
            "title": "No key is marked.",
            "text": "Press the dot before the right option; then the item can be submitted.",
        },
        {"tone": "good", "title": "Submitted, and on its way to review."},
        {
            "title": "Who has seen the moral no longer reviews this story's moral items blind.",
            "icon": "clock",
        },
    ],
    "empty": {
        "title": "Nothing to do.",
        "text": "3 items are with other reviewers until 14:05; your own 2 items are not shown to you.",
        "action": "Write item",
    },
    "cards": [
        {
            "label": "Review",
            "big": "12 items wait",
            "text": "About 40 minutes. 2 are due tomorrow.",
            "action": "Review next",
        },
        {
            "label": "Write",
            "big": "5 still to write",
            "text": "Item 3 is a draft, saved 14:02.",
            "action": "Continue writing",
        },
    ],
    "figures": [
        {"name": "Written and submitted", "value": "9 items"},
        {"name": "Solved blind, right", "value": "27 / 31"},
        {"name": "Agreement", "value": "0.71 [0.66, 0.76]", "note": "n = 402"},
    ],
    "timeline": [
        {
            "when": "3 Sep",
            "iso": "2026-09-03",
            "icon": "pencil",
            "title": "Written under guideline version 3",
        },
        {
            "when": "8 Sep",
            "iso": "2026-09-08",
            "icon": "eye",
            "title": "Reviewed: solved first, right; rated 1",
            "detail": "Flaw: trivial distractor",
        },
        {
            "when": "9 Sep",
            "iso": "2026-09-09",
            "icon": "pencil",
            "title": "Edited, revision 2, proposed by the reviewer and adopted",
            "parts": [
                ("equal", "The duck had "),
                ("delete", "eaten them all"),
                ("insert", "cut them from the ice"),
                ("equal", " before sunrise"),
            ],
        },
        {"when": "12 Sep", "iso": "2026-09-12", "icon": "check", "tone": "good", "title": "Verified"},
        {
            "when": "2 Nov",
            "iso": "2026-11-02",
            "icon": "leave",
            "tone": "wrong",
            "title": "Retired in 1.0.1, erratum 2",
        },
    ],
    "table": {
        "label": "Files of release 1.0.0",
        "head": ["File", "Items", "Size", "SHA-256"],
        "rows": [
            ["dev/commonsense.jsonl", "240", "188 KB", "9f3c61d2a07e…41be"],
            ["test/moral.jsonl", "480", "381 KB", "e8065a1fc394…27dd"],
        ],
    },
    "plot": {
        "caption": "Always the longest option, n = 620; dashed: chance, short stroke: the gate",
        "label": "34.5 %, 95 % interval 30.9 to 38.3, chance 25 %",
        "rows": [["", "Figure", "Interval"], ["Moral items", "34.5%", "[30.9, 38.3]"]],
        "charts": [
            charts.by_row(
                "Accuracy",
                [
                    Row("heron-2", "68 %", dots=[("dot", 0.68), ("open", 0.5)], span=(0.5, 0.68)),
                    Row(
                        "a model with a long name",
                        parts=[("part right", 0.4, ""), ("part wrong", 0.6, "")],
                    ),
                ],
                charts.shares("en"),
                chance=0.25,
                legend=[("part right", "right"), ("part wrong", "wrong")],
            ),
            charts.grid("Accuracy", ["A", "B"], [("heron-2", [Field("-9.5", -1), Field("9.5", 1)])]),
            charts.plane(
                "Accuracy",
                charts.numbers(-4, 4, "Ability"),
                charts.numbers(0, 1, most=4),
                bars=[(-1, 0, 0.4)],
                curve=[(-4, 0.2), (0, 0.5), (4, 0.9)],
                people=[(-2, "heron-2")],
                chance=0.5,
            ),
            charts.columns("A 2 · B 4", [2, 4]),
        ],
    },
    "link_label": "Invitation link",
    "link": "https://parable.example/invitations/Jt3mPq7Z-example",
    "dialog": {
        "open": "Discard draft…",
        "title": "Discard the draft of item 3",
        "text": "It stays in the bin for 30 days.",
        "action": "Discard",
    },
    "views": [("figures", "Figures"), ("people", "People")],
    "found": marked("A tortoise that never stopped won the race.", ["tortoise"]),
    "tabs": ["Item 1", "Item 2", "Item 3"],
    "filter": {"search": "Search", "state": "State", "any": "all", "action": "Filter"},
    "foot": {"far": "2 of 4 submitted for this story", "warn": "1 warning to answer"},
    "saved": "draft saved 14:02",
    "missing": "Still needed: temporal, spatial",
    "labels": {
        "stem": "Stem",
        "options": "Options",
        "options_note": "the dot marks the key; the other three are distractors",
        "explanation": "Explanation",
        "title": "Items",
    },
}
