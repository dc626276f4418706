"""Removes phrases that models put around an answer, in both languages."""

from __future__ import annotations

import re
import unicodedata

_THINKING = r"(?:think|thinking|thought|thoughts|reasoning|reflection)"
_TAG = re.compile(rf"<(?P<end>/?){_THINKING}>|◁(?P<end_too>/?)think▷", re.IGNORECASE)
_WRAPPER = re.compile(r"</?(?:answer|output|result|response|final_answer|final|ol|ul)>|</li>", re.IGNORECASE)
_HTML_ENTRY = re.compile(r"<li>", re.IGNORECASE)

_LEAD_IN = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|great|here (?:are|is)|here's|below (?:are|is)"
    r"|the following)\b"
    r"|(?:好的|好，|当然|没问题|可以[，,]|以下|下面|这里是|根据(?:您|你|这|上|以|故事|要求))",
    re.IGNORECASE,
)
_CLOSER = re.compile(
    r"(?:let me know|(?:i )?hope (?:this|these|that|it)|feel free|would you like|do you want"
    r"|if you(?:'d| would| need| want| have)|please (?:note|let)|note(?: that)?\b"
    r"|these (?:morals|options|are)|each of these|all of these)"
    r"|希望(?:这|以上|能|对|你|您)|如需|如果(?:你|您)|若(?:你|您|需)|请告诉我|需要我|以上|注[:：]|备注|这些(?:寓意|选项)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:i'?m|i am) (?:very |really |so )?(?:sorry|unable|not able)|sorry[,.]"
    r"|i (?:can'?t|cannot|won'?t) (?:help|assist|provide|generate|create|produce|write|answer|comply|do)"
    r"|i apologi[sz]e|as an ai\b"
    r"|(?:非常|很|十分)?(?:抱歉|对不起)[，,。！]|我(?:无法|不能|没有办法)"
    r"|作为(?:一个|一名)?.{0,6}(?:ai|人工智能|语言模型)",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"[-*•\s]*\**(?:explanation|reason(?:ing)?|rationale|why|note|analysis|comment|justification"
    r"|correct(?: answer)?|answer|正确答案|答案"
    r"|解释|理由|原因|说明|分析|解析|点评|备注|注)[^:：\n]{0,20}[:：]",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:the )?(?:(?:wrong|false|incorrect|possible|plausible|alternative) )?"
    r"(?:morals?|lessons?|options?|candidates?|distractors?|answer|statement)"
    r"(?: of (?:the|this) (?:story|fable))?(?: is)?\s*[:：]\s*"
    r"|(?:错误|可能的|干扰|候选)?(?:寓意|道理|选项|候选|干扰项|答案|启示)(?:是|为)?\s*[:：]\s*"
    r"|(?:这个|这则|该|本)?(?:故事|寓言)(?:告诉|启示|教育|说明|提醒)了?(?:我们|人们|大家)?(?:的是)?\s*[:：]\s*",
    re.IGNORECASE,
)
_INVISIBLE = re.compile("[\u200b\u200c\u200e\u200f\u2060\ufe0e\ufe0f\ufeff]")


def tidy(text: str) -> str:
    """Return the text with uniform line ends, without control characters and zero-width marks."""
    text = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n"))
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs"))


def drop_thinking(text: str) -> str:
    """Return the text without <think> blocks, including blocks without a start or an end.

    Everything after a block that never ends is thinking, not an answer, and is removed.
    """
    said: list[str] = []
    position, thinking = 0, False
    for tag in _TAG.finditer(text):
        if not thinking:
            said.append(text[position : tag.start()])
        if tag["end"] or tag["end_too"]:
            # An end without a start: everything before it is thinking, unless nothing follows.
            said = [] if not thinking and text[tag.end() :].strip() else said
            thinking = False
        else:
            thinking = True
        position = tag.end()
    if not thinking:
        said.append(text[position:])
    return _HTML_ENTRY.sub("\n- ", _WRAPPER.sub("\n", "\n".join(said)))


def is_lead_in(line: str) -> bool:
    """Return whether a line only introduces an answer, such as "Here are the morals:"."""
    bare = line.strip(" \t#*_>")
    return bare.endswith((":", "：")) or _LEAD_IN.match(bare) is not None


def is_closer(line: str) -> bool:
    """Return whether a line is a closing phrase after the answer, addressed to the reader."""
    return _CLOSER.match(line.strip(" \t#*_>")) is not None


def is_refusal(text: str) -> bool:
    """Return whether a text without a list declines to answer."""
    return _REFUSAL.match(text.strip().replace("’", "'")) is not None


def is_explanation(line: str) -> bool:
    """Return whether a line below an item explains the item."""
    return _EXPLANATION.match(line.strip()) is not None


def drop_label(text: str) -> str:
    """Return the text without a leading "Moral:" or “寓意：”."""
    return _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
