"""One sample of each kind of item: what is written, what a reviewer answers, what nobody may see before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from annotation.content import ItemContent, OptionContent, to_json
from annotation.models import Item
from corpus.models import Story
from parable.kinds import KINDS
from parable.kinds.mark_json import write_groups
from parable.kinds.marks import ALIGNMENT, Mark, locate
from review.models import ReviewRequest
from tests.factories import Cast, content, make_project, make_story, submit_item
from tests.kinds.marked import OTHER, TEXT, WRITTEN, own

PROVERB = "Too many cooks spoil the broth"
NARRATIVE = "Five managers changed one plan every week, and in the end nothing was built."
FIRST = "他把地图挂在墙上，灯光照着它。"
SECOND = "他把地图挂在墙下，灯光照着它。"


def pairs(*found: tuple[str, str]) -> list[list[dict[str, Any]]]:
    """Aligned spans of the sample's proverb and narrative."""
    texts = {"proverb": PROVERB, "narrative": NARRATIVE}
    groups = []
    for words in found:
        spans = {side: locate(typed, texts[side]) for side, typed in zip(texts, words, strict=True)}
        groups.append([Mark(side, span.text, span.positions, target=side) for side, span in spans.items()])
    return write_groups(groups)


@dataclass(frozen=True)
class Sample:
    """What tests of a kind need; `answer` and `other` are forms of a right and of another blind answer.

    `secrets`: what no page may show before the answer. `half`: a draft that is not whole.
    """

    task: str
    language: str
    text: str
    words: ItemContent
    answer: Mapping[str, Any] = field(default_factory=dict)
    other: Mapping[str, Any] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    half: Mapping[str, Any] = field(default_factory=dict)
    verdict: Mapping[str, Any] = field(default_factory=lambda: {"rating": 2})
    changed: ItemContent | None = None

    @property
    def has_options(self) -> bool:
        """Whether it is answered by options."""
        return not self.words.own

    def project(self) -> Cast:
        """A project of the kind alone."""
        return make_project(self.language, tasks=[self.task])

    def story(self, cast: Cast, end: str = "") -> Story:
        """The text that it is about; one with an end of its own is another text."""
        return make_story(cast, title=f"样{end}", text=f"{self.text}{end}", moral="Slow and steady wins.")

    def submit(self, cast: Cast, end: str = "", **more: Any) -> Item:
        """The sample in review."""
        story = self.story(cast, end)
        return submit_item(cast, story=story, task=self.task, words=self.words, **more)

    def answer_to(self, request: ReviewRequest, *, right: bool = True) -> dict[str, Any]:
        """The keyword arguments of `solve` for a request of the sample."""
        if not self.has_options:
            return {"answer": "own", "own": self.answer if right else self.other}
        options = [self.words.options[place] for place in request.drawn_order]
        if KINDS[self.task].answer == "several":
            keys = [position for position, option in enumerate(options) if option.is_key]
            return {"answer": "several", "several": keys if right else keys[:1]}
        if KINDS[self.task].answer == "order":
            order = sorted(range(len(options)), key=lambda position: options[position].rank or 0)
            return {"answer": "order", "several": order if right else order[::-1]}
        position = next(position for position, option in enumerate(options) if option.is_key)
        return {"answer": "option", "position": position if right else (position + 1) % request.option_count}


STORY = "A hare laughed at a tortoise.\nThey agreed to run to the old mill."
STEP = {
    "answer": [
        [
            {"role": "空间实体", "text": "香油", "positions": [4, 5]},
            {"role": "处所", "text": "瓶子边", "positions": [0, 1, 2]},
        ]
    ]
}
STEP_OTHER = {
    "answer": [
        [
            {"role": "空间实体", "text": "鸡蛋", "positions": [11, 12]},
            {"role": "处所", "text": "包裹里", "positions": [7, 8, 9]},
        ]
    ]
}
SCENE = {"second": SECOND, "same": False, "element": "处所", "entities": "地图"}
STATEMENT = content("The hare laughed.", "True", "False", key=0, types=(), explanation="It says so here.")
BLANK = content(
    "The hare ____ at it.", "laughed", "wept", "sang", "sat", key=0, types=(), explanation="Line one."
)

SEVERAL = ItemContent(
    "Who ran?",
    (
        OptionContent("the hare", is_key=True), OptionContent("the tortoise", is_key=True),
        OptionContent("the mill"), OptionContent("the miller"),
    ),
    (),
    "Both did.",
)  # fmt: skip
ORDER = ItemContent(
    "Put it into order.",
    (
        OptionContent("they ran", rank=3), OptionContent("the hare laughed", rank=1),
        OptionContent("they agreed", rank=2), OptionContent("the mill stood still", rank=4),
    ),
    (),
    "As the story tells it.",
)  # fmt: skip

LESSONS = (
    "Slow and steady wins.",
    "Pride is a good guide.",
    "Rain comes after sun.",
    "Trade makes one rich.",
)

SAMPLES: Final[dict[str, Sample]] = {
    sample.task: sample
    for sample in (
        Sample("commonsense", "en", STORY, content(), secrets=("Running fast tires even a hare.",)),
        Sample(
            "moral", "en", STORY,
            content("What does it teach?", *LESSONS, key=0, types=(), explanation=""),
        ),
        Sample("true_false", "en", STORY, STATEMENT, secrets=("It says so here.",)),
        Sample("cloze", "en", STORY, BLANK, secrets=("Line one.",)),
        Sample("multiple", "en", STORY, SEVERAL, secrets=("Both did.",)),
        Sample("ordering", "en", STORY, ORDER, secrets=("As the story tells it.",)),
        Sample(
            "anomaly_spans", "zh", TEXT, ItemContent(own=own(WRITTEN)),
            answer=own(WRITTEN), other=own(OTHER), secrets=("香油 <", '"positions": [4', "[0,1,2]"),
            half={"answer": [[]]}, changed=ItemContent(own=own(OTHER)),
        ),
        Sample(
            "step_tuples", "zh", TEXT, ItemContent(own=STEP),
            answer=STEP, other=STEP_OTHER, secrets=('"positions": [4', "[0,1,2]"),
            half={"answer": [[{"role": "处所", "text": "", "positions": []}]]},
            changed=ItemContent(own=STEP_OTHER),
        ),
        Sample(
            "scene_pairs", "zh", FIRST, ItemContent(explanation="墙上与墙下不是一处。", own=SCENE),
            answer={"same": False}, other={"same": True},
            secrets=("墙上与墙下不是一处。", 'aria-keyshortcuts="v" checked'),
            half={"second": SECOND}, verdict={"rating": 4},
            changed=ItemContent(explanation="墙上、墙下所指相同。", own={**SCENE, "same": True}),
        ),
        Sample(
            "proverb_narratives", "en", PROVERB,
            ItemContent(own={"narrative": NARRATIVE, ALIGNMENT: pairs(("Too many cooks", "Five managers"))}),
            answer={ALIGNMENT: pairs(("Too many cooks", "Five managers"))},
            other={ALIGNMENT: pairs(("broth", "nothing was built"))},
            secrets=('"positions": [0', "[0,1,2"),
            half={"narrative": "Five managers"},
            verdict={"ratings": {"relatedness": 5, "interesting": 3, "fluency": 4, "overall": 4}},
            changed=ItemContent(
                own={"narrative": NARRATIVE, ALIGNMENT: pairs(("spoil the broth", "nothing was built"))}
            ),
        ),
    )
}  # fmt: skip


def draft_of(sample: Sample) -> dict[str, Any]:
    """A half-written draft, as its sheet saves it."""
    if sample.has_options:
        return to_json(content("Half a stem", "one", types=(), explanation="")) | {"types": []}
    return {"own": dict(sample.half), "explanation": ""}
