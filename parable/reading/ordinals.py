"""Options named by position: "the second option", "the last one", “第三个”, “最后一项”.

Such words are replaced by the letter of the position, so that the rules for letters apply. An ordinal that
counts something else ("the second hare") names no option: the words must include a noun such as "option", be
the whole text, or follow a verb of choosing.
"""

from __future__ import annotations

import re
from typing import Final

from .letters import LETTERS

_ORDINALS: Final = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
_CARDINALS: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
_ABBREVIATED: Final = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"]
_CHINESE: Final = "一二三四五六七八"
_PLACES: Final = {
    word: place
    for words in (_ORDINALS, _CARDINALS, _ABBREVIATED, _CHINESE, "12345678")
    for place, word in enumerate(words)
} | {"两": 1}

_EN: Final = rf"(?:(?:second|third)[ -](?:to[ -])?last|{'|'.join([*_ORDINALS, *_ABBREVIATED])}|last)"
_EN_END: Final = (
    r"(?=\s*(?:$|[\n.,;!?:)\]\"'”’—–-]|(?:because|since|as)\b"
    r"|(?:is|isn't|seems|looks|fits|makes|would|does|best)\b))"
)
_ENGLISH = re.compile(
    rf"\b(?:the )?(?:(?P<few>(?:first|last) (?:two|three))"
    rf"|(?P<one>{_EN})(?:(?:,? and|,? or|,) (?:the )?(?P<two>{_EN}))?)"
    r" (?:(?:answer )?(?:option|choice|alternative)s?\b"
    rf"(?! (?:to|that came)\b|(?: is| would be|:) ?[(\[]?(?-i:[A-Z])(?![\w'’]))|ones?\b{_EN_END})",
    re.IGNORECASE,
)
_ENGLISH_ALONE = re.compile(
    r"(?:^[\s\"'“(]{0,8}|(?<=answer is )|(?<=answer: )|(?<=choose )|(?<=pick )"
    r"|(?<=select )|(?<=option is )|(?<=choice is )|(?<=go with )|(?<=but ))"
    rf"(?:the )?(?P<one>{_EN})(?=[\"'”).!]{{0,4}}[ \t]*(?:\n|$)|,? (?:because|since)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_ZH: Final = r"(?:(?:倒数)?第\s?[一二三四五六七八1-8]|最后\s?[一1那]|末尾?\s?[一1])"
_ZH_TWO: Final = rf"(?:(?:个|项|条|种)?[和与及或、]\s?(?P<two>{_ZH}))?"
_ZH_END: Final = (
    r"(?=\s*(?:$|[\n.,;!?。、:)\]\"'”’—(]|因为|由于|吧|哦|呢|啊|更|最|才"
    r"|是?(?:正确|对(?![面手方付])|错|不对)|符合|不符))"
)
_CHINESE_CALLED = re.compile(
    rf"(?P<one>{_ZH}){_ZH_TWO}\s?(?:个|条|种|句|则)?"
    r"(?:选项|答案|选择(?!\s?[是为:]?\s?[(\[]?[A-Z])|说法|寓意|项(?!工作|比赛|任务|活动|目|挑战|测试|运动|规定|内容|研究))"
    r"|(?P<few>(?:前|最?后)[两二三])\s?(?:个选项|个答案|项|个(?=都|均|皆|[\n.!。]|$))"
)
_CHINESE_CHOSEN = re.compile(
    r"(?:^[\s\"'“(]{0,8}是?|(?<=选)|(?<=选择)|(?<=选的是)|(?<=我选了)|(?<=答案)"
    r"|(?<=答案是)|(?<=答案为)|(?<=答案:)|(?<=答案: )"
    r"|(?<=答案选)|(?<=应该是)|(?<=应是)|(?<=认为)|(?<=觉得)|(?<=认为是)|(?<=觉得是)|(?<=而是)|(?<=不是)|(?<=[,。;]是))"
    rf"(?P<one>{_ZH}){_ZH_TWO}\s?(?:(?:个|条|种|句|则){_ZH_END}|(?=[.。!]?[ \t]*(?:\n|$)))",
    re.MULTILINE,
)
_NUMBERED = re.compile(
    r"\b(?:option|choice|alternative) (?:number |no\. ?|#)?"
    rf"(?P<one>[1-8]|{'|'.join(_CARDINALS)})\b(?![.,:]?\d)"
    r"|选项\s?(?P<two>[1-8一二三四五六七八])(?![\d一二三四五六七八九十])",
    re.IGNORECASE,
)
# If options contain numbers, "the 3rd" and “第3个” may refer to these numbers.
_BARE_NUMBER = re.compile(r"\d(?:st|nd|rd|th)?$|\d\s?(?:个|条|种|句|则)$", re.IGNORECASE)
_PATTERNS: Final = (_ENGLISH, _ENGLISH_ALONE, _CHINESE_CALLED, _CHINESE_CHOSEN)


def ordinals_as_letters(said: str, masked: str, count: int, *, numbers: bool) -> str:
    """Return the text with "option B" for "the second option".

    `masked` is the same text with the words of options masked; nothing is replaced there. `numbers`: whether
    "option 2" counts, too; False if options contain numbers.
    """
    found: dict[int, tuple[int, str]] = {}
    for pattern in (*_PATTERNS, *([_NUMBERED] if numbers else [])):
        for match in pattern.finditer(masked):
            names = {name: word for name, word in match.groupdict().items() if word}
            if not numbers and _BARE_NUMBER.search(match[0]):
                continue
            start = min(match.start(name) for name in names)
            start = start if pattern in (_ENGLISH_ALONE, _CHINESE_CHOSEN) else match.start()
            found.setdefault(start, (match.end(), _letters(names, count, is_chinese=not match[0].isascii())))
    parts, done = list[str](), 0
    for start, (end, letters) in sorted(found.items()):
        if start >= done:
            parts += [said[done:start], letters]
            done = end
    return "".join([*parts, said[done:]])


def _letters(names: dict[str, str], count: int, *, is_chinese: bool) -> str:
    if "few" in names:
        few = _PLACES[names["few"].lower().split()[-1] if not is_chinese else names["few"][-1]] + 1
        from_start = names["few"].lower().startswith(("first", "前"))
        places = list(range(few)) if from_start else list(range(count - few, count))
    else:
        places = [_place(names[name], count) for name in ("one", "two") if name in names]
    letters = [LETTERS[place] for place in places if 0 <= place < len(LETTERS)]
    return f"选项{'、'.join(letters)}" if is_chinese else f"option {' and '.join(letters)}"


def _place(word: str, count: int) -> int:
    plain = word.lower().replace(" ", "").replace("-", "")
    if plain in _PLACES:
        return _PLACES[plain]
    if plain.endswith("last"):
        return count - 1 - _PLACES.get(plain.removesuffix("last").removesuffix("to"), 0)
    if plain.startswith("倒数"):
        return count - 1 - _PLACES[plain[-1]]
    return _PLACES[plain[-1]] if plain.startswith("第") else count - 1
