"""Three fables, one of them in two wordings, and the items that seven people write about them.

The words are those of `sample/`, in Chinese as the published set is; what is wrong there on purpose is put
right. What becomes of each item is the flow's to say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tests.architecture import BASE
from tests.flows.people import Wording

TYPES: Final = {
    "social": "Social",
    "biological": "Biological",
    "temporal": "Temporal",
    "spatial": "Spatial",
    "physical": "Physical",
}
MORAL_STEM: Final = "下列哪个选项最符合故事说明的寓意？"


@dataclass(frozen=True, slots=True)
class Fable:
    """A story as the release shall have it."""

    title: str
    text: str
    moral: str


def _sample(name: str) -> Mapping[str, Mapping[str, Any]]:
    lines = (BASE / "sample" / "part1" / f"{name}.zh.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


_STORIES: Final = _sample("stories")
_ITEMS: Final = _sample("items")


def _fable(name: str) -> Fable:
    row = _STORIES[name]
    return Fable(row["title"], row["text"], row["moral"])


def _item(name: str) -> Wording:
    row = _ITEMS[name]
    first, second, third = (text for index, text in enumerate(row["choices"]) if index != row["answer"])
    types = tuple(TYPES[code] for code in row["types"])
    key = row["choices"][row["answer"]]
    return Wording(row["question"], key, (first, second, third), types, row["explanation"] or "")


def _rekeyed(name: str, key: str, explanation: str) -> Wording:
    """An item of the sample whose key is wrong there."""
    item = _item(name)
    others = [text for text in (item.key, *item.distractors) if text != key]
    return replace(item, key=key, distractors=(others[0], others[1], others[2]), explanation=explanation)


CROW: Final = _fable("crow-and-pitcher")
HARE: Final = _fable("tortoise-and-hare")
WIND: Final = _fable("north-wind-and-sun")
CROW_AGAIN: Final = Fable("乌鸦与水罐", CROW.text.replace("三伏天，", "三伏天里，"), CROW.moral)
FABLES: Final = (CROW, HARE, WIND)

# --- as they come in: a typo, a moral with too many words, one that is missing ---

HARE_MISPRINTED: Final = replace(HARE, text=HARE.text.replace("野兔", "野免", 1))
CROW_WORDY: Final = replace(CROW, moral=f"这个故事告诉我们一个道理：{CROW.moral}")
WIND_WITHOUT_MORAL: Final = replace(WIND, moral="")


def write_stories(file: Path) -> None:
    """A file as a manager would have it; nobody has looked yet who owns the second wording."""
    rows = [
        {"id": f"s{index}", "title": one.title, "text": one.text, "moral": one.moral, "language": "zh"}
        | ({} if one is CROW_AGAIN else {"source": "Aesop, retold", "rights": "CC BY 4.0"})
        for index, one in enumerate((CROW_WORDY, HARE_MISPRINTED, WIND_WITHOUT_MORAL, CROW_AGAIN))
    ]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_text("".join(lines), encoding="utf-8")


# --- commonsense items: two writers a story, the five types as far as possible ---

NEAR_FINISH: Final = _item("tortoise-and-hare-c1")
WINTER: Final = _item("tortoise-and-hare-c2")
JUDGE: Final = _item("tortoise-and-hare-c3")
SHADOW: Final = _rekeyed(
    "tortoise-and-hare-c5", "朝西，和太阳方向相反", "太阳刚从东边露头，影子总在太阳的另一边。"
)
TILES: Final = _item("crow-and-pitcher-c1")
HOUR: Final = _item("crow-and-pitcher-c2")
LARGE_STONE: Final = _item("crow-and-pitcher-c3")
PEBBLES: Final = Wording(
    "乌鸦为什么往罐子里丢石子？",
    "为了让水面升高",
    ("为了吓出水里的虫子", "为了听石子的响声", "为了把罐子压稳当"),
    (TYPES["physical"],),
    "石子占住罐底的地方，把水往上挤，水面就升高了。",
)
COLD_WIND: Final = _item("north-wind-and-sun-c1")
TOO_WARM: Final = _item("north-wind-and-sun-c2")
SHADE: Final = _item("north-wind-and-sun-c3")
WOOL: Final = replace(_item("north-wind-and-sun-c4"), explanation="不流动的空气传热很慢，身上的热跑不出去。")
WATER: Final = _rekeyed(
    "crow-and-pitcher-c5", "没有变，只是水面高了", "石子只占了地方，罐里没有添水，也没有少水。"
)
BEAK: Final = Wording(
    "乌鸦没有手，靠什么把石子一颗颗送进罐口？",
    "靠能夹住东西的喙",
    ("靠能握住石子的翅膀", "靠能卷起来的长尾", "靠能粘住石子的舌头"),
    (TYPES["biological"],),
    "鸟没有手，平时都用喙衔东西。",
)

# --- moral items: three morals by hand, then two more items a story from models ---

HUMAN_MORALS: Final = {
    CROW: _item("crow-and-pitcher-m1"),
    HARE: _item("tortoise-and-hare-m1"),
    WIND: _item("north-wind-and-sun-m1"),
}
OTHER_WORDINGS: Final[Mapping[Fable, Sequence[str]]] = {
    CROW: (_item("crow-and-pitcher-m2").key, "力气办不到的事，动动脑子、慢慢来就能办到。"),
    HARE: (_item("tortoise-and-hare-m2").key, "跑得快的人若半路停下，终会输给一步不停的人。"),
    WIND: (_item("north-wind-and-sun-m2").key, "好言好语能做成的事，硬来反而做不成。"),
}
"""The keys of a story's two machine-style items: its moral in other words, each in words of its own."""
