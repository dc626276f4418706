"""The stub's answers: morals that depend only on prompt and model, in the prompt's language."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence

_HAN = re.compile(r"[\u4e00-\u9fff]")
_COUNT = re.compile(
    r"(\d{1,2})\s*(?:[个条则句种]|(?:[a-z-]+ ){0,3}(?:morals?|options?|distractors?|candidates?|lessons?)\b)",
    re.IGNORECASE,
)
USUAL_COUNT = 3

_ENGLISH_WHO = (
    "Those who hurry", "A proud heart", "The quiet worker", "An idle tongue", "He who trusts a flatterer",
    "A patient friend", "The greedy hand", "A borrowed coat", "Whoever laughs last", "The smallest helper",
)  # fmt: skip
_ENGLISH_WHAT = (
    "learns too late what was given away", "finds the longer road the safer one",
    "keeps little of what it takes", "is remembered when the feast is over", "pays for the song with supper",
    "sees the trap before the bait", "has no need to shout", "cannot warm two houses",
    "does better to ask than to guess", "gains by giving first",
)  # fmt: skip
_CHINESE_WHO = (
    "做事急躁的人", "心存傲气的人", "默默用功的人", "爱说闲话的人", "轻信奉承的人",
    "懂得等待的人", "贪得无厌的人", "只看外表的人", "肯帮小忙的人", "不听劝告的人",
)  # fmt: skip
_CHINESE_WHAT = (
    "往往到最后才明白失去了什么", "反而能走得更远", "总是留不住手里的东西", "在困难时才会被人记起",
    "要为一时的得意付出代价", "能先看见陷阱再看见诱饵", "用不着大声说话", "很难同时顾全两头",
    "不如先问清楚再动手", "会因为先付出而得到更多",
)  # fmt: skip


def is_chinese(prompt: str) -> bool:
    """Return whether a prompt should be answered in Chinese."""
    return len(_HAN.findall(prompt)) > len(prompt) / 20


def wanted_count(prompt: str) -> int:
    """Return the number of morals that a prompt requests, which is the last number in it."""
    counts = [int(match[1]) for match in _COUNT.finditer(prompt)]
    return max(1, min(counts[-1], 50)) if counts else USUAL_COUNT


def make_morals(prompt: str, model: str, count: int) -> tuple[str, ...]:
    """Return `count` different morals, always the same for the same prompt and model."""
    digest = hashlib.sha256(f"{model}\n{prompt}".encode("utf-8", "replace")).digest()
    chance = random.Random(digest)  # noqa: S311 -- repeatable on purpose
    if is_chinese(prompt):
        return _combine(chance, _CHINESE_WHO, _CHINESE_WHAT, "{}{}。", count)
    return _combine(chance, _ENGLISH_WHO, _ENGLISH_WHAT, "{} {}.", count)


def _combine(
    chance: random.Random, who: Sequence[str], what: Sequence[str], pattern: str, count: int
) -> tuple[str, ...]:
    # Both halves differ from moral to moral, as long as there are enough, so that no two morals are similar.
    lefts, rights = chance.sample(who, len(who)), chance.sample(what, len(what))
    turns = [(place, turn) for turn in range(len(rights)) for place in range(len(lefts))]
    return tuple(
        pattern.format(lefts[place], rights[(place + turn) % len(rights)]) for place, turn in turns[:count]
    )
