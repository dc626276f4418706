"""Defaults for a new project: its slug, five commonsense types and the standard moral stem.

The types and their definitions follow the CRMUS paper (CCL 2024), in our words.
"""

import re
import unicodedata
from typing import NamedTuple


class TypeDefault(NamedTuple):
    """A commonsense type of every new project."""

    code: str
    name_zh: str
    name_en: str
    meaning_zh: str
    meaning_en: str


COMMONSENSE_TYPES: tuple[TypeDefault, ...] = (
    TypeDefault(
        "social",
        "社会常识",
        "Social",
        "人物与事件：性格、因果、品行与文化、行为的规矩。例如：鞠躬表示敬意。",
        "People and events: character, cause and effect, culture, norms of behaviour. A bow shows respect.",
    ),
    TypeDefault(
        "biological",
        "生物常识",
        "Biological",
        "生物的特点：大小、食性、习性、本领、住处。例如：猴子会爬树。",
        "Living things: size, who eats whom, habits, abilities, habitat. Monkeys climb.",
    ),
    TypeDefault(
        "temporal",
        "时间常识",
        "Temporal",
        "时长、先后、时刻、频率、间隔。例如：公鸡在天亮前打鸣。",
        "Duration, order, points in time, frequency, intervals. Cocks crow before dawn.",
    ),
    TypeDefault(
        "spatial",
        "空间常识",
        "Spatial",
        "地点、方向、距离、形状、大小。例如：石子小得能放进罐子。",
        "Place, direction, distance, shape, size. A pebble is small enough for a jar.",
    ),
    TypeDefault(
        "physical",
        "物理常识",
        "Physical",
        "重量、密度、软硬、冷热。例如：盐在水里会化。",
        "Weight, density, hardness, temperature. Salt dissolves in water.",
    ),
)

MORAL_STEMS = {
    "zh": "下列哪个选项最符合故事说明的寓意？",
    "en": "Which option best fits the moral of the story?",
}

LONGEST_SHORT_NAME = 30

# GB 2312 lists its 3,755 common characters by their reading: the first character of each initial.
_FIRST_OF_INITIAL = tuple(
    zip(
        "啊芭擦搭蛾发噶哈击喀垃妈拿哦啪期然撒塌挖昔压匝",
        "abcdefghjklmnopqrstwxyz",
        strict=True,
    )
)
_AFTER_THE_LAST = "亍".encode("gb2312")


def _initial(character: str) -> str:
    """Return the pinyin initial of a Chinese character, an ASCII character unchanged, else a space."""
    try:
        code = character.encode("gb2312")
    except UnicodeEncodeError:
        return " "
    if len(code) == 1 or code >= _AFTER_THE_LAST:
        return character if len(code) == 1 else " "
    letters = [letter for first, letter in _FIRST_OF_INITIAL if code >= first.encode("gb2312")]
    return letters[-1] if letters else " "


def short_name(name: str) -> str:
    """Return a slug for a name, such as yy-2026 for 寓言 2026; "" if no usable character remains."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    # adjacent Chinese and Latin words are two words
    plain = re.sub(r"(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])", " ", plain)
    letters = "".join(map(_initial, plain)).lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:LONGEST_SHORT_NAME].strip("-")
