"""Finds the end of a model's answer; some models go on with another turn or question.

A model that only continues texts answers " B" and goes on with a new question and its answer; a model whose
server ignores the end of its turn goes on as the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

MOST_HEADS: Final = 8
"""Maximum number of beginnings of a question that are examined; an answer after more of them is not read."""

_FINAL_CHANNEL = re.compile(r"<\|channel\|>final.{0,40}?<\|message\|>")
_TOKEN = re.compile(
    r"<[|｜][^<>|｜\n]{1,40}[|｜]>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<(?:eo[a-z]|bo[st]|pad|(?:eos|bos|pad|end)[_-]?token|end[_-]?of[_-]?(?:text|sentence)|endoftext|im_(?:start|end))>",
    re.IGNORECASE,
)
_ROLE = re.compile(r"\s*(?:assistant|model|助手|助理)\s*(?:[:：\n]|$)", re.IGNORECASE)

_NUMBER = r"\s{0,2}(?:no\.?\s?|#|编号)?[\d一二三四五六七八九十]{0,3}"
_HEAD = re.compile(
    r"^[ \t#*>_\[【-]{0,8}(?:"
    rf"(?:(?:the )?(?:next|new|another|similar|following|sample|second) )?"
    rf"(?:question|problem|exercise|passage|story|fable|context|quiz|task|example|options){_NUMBER}"
    r"\**[\]】]?\s{0,2}(?:[:：.)]|$)"
    r"|q\s?\d{0,3}\s?[:：.)]"
    r"|(?:human|user|student|instruction|input|用户|学生|问|人类)\s?[:：]"
    r"|(?:下一|另一|另外一|新的?)?[道个则篇]?(?:问题|题目|题干|题|例题?|习题|练习题?|故事|短文|文章|材料|寓言|选项)"
    rf"{_NUMBER}\**[\]】]?\s?(?:[:：.、]|$)"
    r"|第\s?[\d一二三四五六七八九十]{1,3}\s?[题道]"
    r"|(?:please )?(?:read the (?:story|following|passage|text)|answer the (?:following|multiple)"
    r"|choose the (?:correct|best|right) |the following (?:is a|are) )"
    r"|(?:请|阅读|根据|以下|下面)[^\n]{0,12}(?:回答|选择题|单选题|多选题)"
    r"|请?(?:阅读|读)(?:下面|以下|下列)"
    r")",
    re.IGNORECASE | re.MULTILINE,
)
# A question without a name: a line that ends like one, numbered or before a list of options.
_NAMELESS = re.compile(
    r"^[ \t]{0,4}(?:\d{1,3}\s?[.、．)）]\s?[^\n]{2,300}[?？:：)）][ \t]*\n+[ \t]*[(（]?A[)）.．、:：]"
    r"|[^\n]{4,300}[?？][ \t]*\n+[ \t]*[(（]?A[)）.．、:：])",
    re.MULTILINE,
)


def own_turn(text: str) -> str:
    """Return the first turn that is not blank, without the tokens that mark turns of a chat."""
    final = list(_FINAL_CHANNEL.finditer(text))
    turns = _TOKEN.split(text[final[-1].end() :] if final else text)
    if len(turns) == 1:
        return turns[0]
    said = (turn[match.end() :] if (match := _ROLE.match(turn)) else turn for turn in turns)
    return next((turn for turn in said if turn.strip()), "")


def new_questions(text: str) -> Iterator[tuple[int, bool]]:
    """Yield the positions of lines that begin a question.

    Each comes with whether text precedes the first such line.
    """
    found = [*islice(_HEAD.finditer(text), MOST_HEADS), *islice(_NAMELESS.finditer(text), MOST_HEADS)]
    # A word like "Story" that is all of the first line may be the answer.
    ordered = sorted(
        {match.start() for match in found if match.start() or ":" in match[0] or "：" in match[0]}
    )
    answers_first = bool(ordered) and bool(text[: ordered[0]].strip())
    yield from ((place, answers_first) for place in ordered if text[:place].strip())
