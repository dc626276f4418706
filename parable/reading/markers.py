"""Words that mark an answer ("the answer is", “故选”), and the options that they select."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from .letters import LETTERS, lettered
from .mentions import MASK, read_mentions
from .option_texts import equal_options, read_option_texts

LONGEST_SENTENCE: Final = 600
_IS_WRONG = re.compile(r"(?:选?项)?\s?(?:肯定|显然)?是(?:错|不对)的")
MOST_MARKERS: Final = 40
"""Maximum number of markers of one kind that are read; of more, the last ones."""

Marker = Callable[[int], re.Pattern[str]]

# Repetitions are bounded, so that no answer, however long or odd, takes long to read.
FINAL: Final = lettered(
    r"final (?:answer|choice)(?: here)?\s*(?:is|:|=|-)?|最终(?:答案|选择|选项)(?:是|为|选|:)?"
)
ANSWER: Final = lettered(
    r"\b(?<!incorrect )(?<!wrong )answer(?: here| to (?:this|the) question| choice| option)?\s*"
    r"(?:(?:is|was|(?:should|would|must|will|has to|can only) be)\b(?: therefore| thus| clearly)?:?"
    r"|[:=]|->|→|\()"
    r"|(?<!参考)答案(?!解析|分析|部分|格式)\s*(?:应该?|就|只能|必须|显然)?"
    r"(?:是|为|选择?|[:=]|(?=[(\[\"“]?[A-H](?![A-Za-z])))"
    r"|(?:correct|right|best|most (?:fitting|suitable|likely|appropriate)|chosen)"
    r" (?:option|choice|one|moral|statement)(?: here)?\s*(?:is\b|would be\b|should be\b|:)"
    r"|(?:正确|最佳|合适|适合|符合|恰当|贴切|准确)的?(?:一?[项个]|选项|选择|说法|寓意)"
    r"\s*(?:应该?|就)?(?:是|为|:)"
    r"|(?:最|比较)(?:符合|合适|恰当|贴切|接近|准确|能)[^,.。;\n◇]{0,24}?的?(?:是|为|:)"
    r"|(?<!不)正确的是"
    r"|最(?:有|大)?可能(?:的)?(?:答案|选项)?(?:是|为|:)"
    r"|\bmost (?:likely|probably)(?: (?:answer|option|choice))?(?: is|:)?"
    r" (?=[(\[\"“]?(?:option )?[A-H](?!['’-]?\w| [a-z]))"
    r"|(?:我的|他的)?(?:选择|结论)(?:是|为|:)|因此(?:是|为)|应该?是|故为"
)
CHOICE: Final = lettered(
    r"(?:故|应该?|该|因此|所以|我|本题|可以?|综上|还是|于是|则|只能|要)?(?:,)?\s*选(?:择|取|定)?"
    r"(?![手出一举自项])(?:的是|:)?\s*(?=[(\[\"“]?(?:选?项)?\s*[A-H(◇])"
    r"|\b(?:i|we)(?:'d| would| will|'ll| must| have to)?"
    r"\s*(?:choose|select|pick|go with|opt for|say|answer)\b"
    r"|\bgo(?:ing)? with\b|^(?:choose|select|pick)\b"
    r"|\b(?:therefore|thus|so|hence)[, ]+(?:it(?:'s| is| must be| has to be) )?"
    r"(?=(?:option |\()?[A-H]\b\)?\s*"
    r"(?:$|[.,;!\n]|because\b|since\b|is (?:the )?(?:correct|right|best|answer)))"
    r"|\bit (?:must|has to) be (?=(?:option |\()?[A-H]\b)",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_MEANT = re.compile(
    r"(?:不(?:能|应该?|该|会|可|要)?|没有?|别|非|误|错|与其|如果|假如|要是|若|为什么|为何"
    r"|有人(?:会|可能)?|容易误"
    r"|\bnot|n't|\bnever|\bif|\bwhy|\bmight|\bmay|\bcould|\bwrong|\bincorrect"
    r"|\bsome(?: readers| people)?|(?:一开始|起初|最初|原本|本来)(?:我|想|会|打算){0,2}"
    r"|\b(?:initially|at first),?(?: i)?)\s*$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"更正|修正一下|不对[,.。!]|等等|等一下|我改|重新(?:考虑|想)|再想(?:一)?[想下]|仔细想想"
    r"|\bwait\b|\bcorrection\b|\bscratch that\b|\bactually,? no\b|(?:^|[.!?\n])\s*(?:hmm,? )?actually,"
    r"|\bon (?:second thought|reflection)|\breconsider"
    r"|\bno,? (?:wait|sorry|actually|it's|it is)\b|\bi meant?\b"
    # "A... no, B.", “选A……不，选C”
    r"|(?:\.\.+|[—–?]|--)\s*(?:no|不)\s*[,.]\s*(?=(?:应该?)?[选是]?\s?[(\[]?(?-i:[A-Z])(?![A-Za-z]))"
    r"|\b(?:chang|switch|revis|correct|updat)\w*[^.\n]{0,40}?\bfrom (?:option )?[(]?(?-i:[A-Z])[)]? to\b"
    r"|从[(]?(?-i:[A-Z])[)]?(?:选项)?\s?[改换变](?:为|成|到|选)?",
    re.IGNORECASE,
)
# Phrases that take back an answer and at once name another: "Wait, actually B."
INSTEAD: Final = lettered(
    r"(?:\bno,? (?:actually,? )?(?:it(?:'s| is)|i meant?) (?=[A-H][.!]?\s*(?:$|[.,;\n]))"
    r"|(?:更正|修正一下|(?<![A-H项也都])不对|等等|等一下|再想(?:一)?[想下]|\bwait\b|\bcorrection\b"
    r"|\bscratch that\b|\bon second thought\b|\bon reflection\b"
    r"|\b(?:chang|switch|revis|correct|updat)\w*[^.\n]{0,40}?\bfrom (?:option )?[(]?[A-H][)]? to\b"
    r"|从[(]?[A-H][)]?(?:选项)?\s?[改换变](?:为|成|到|选)?)"
    r"[\s,.:!-]{0,6}(?:no\b|不对)?[\s,.:!-]{0,3}"
    r"(?:actually|rather|i mean|make (?:it|that)|it(?:'s| is| should be)"
    r"|应该?(?:是|为|选)?|而?是|选|改(?:为|选))?"
    r"[\s,:]{0,2}(?=[(\[\"“]?(?:option |选?项)?[A-H][)\]\"”]?\s*(?:$|[.,;。!\n]|才|更|because\b|因为)))"
)
# Several letters with the words of their options, and several options' words: "B. a ball and D. a marble".
_JOINED = r"(?:\s*[,;、]\s*(?:and\b|or\b)?|\s*(?:\band\b|\bor\b|和|与|或者|或|以及|还有))\s*"
_GLOSS = rf"[(\[]?(?:[A-H])[)\]]?(?:选项)?[ \t]*[.):、-]?[ \t]*[(\[\"“]?{MASK}+[.。!?]?[)\]\"”]?"
_GLOSSED = lettered(rf"\s*{_GLOSS}(?:{_JOINED}{_GLOSS}){{1,7}}\s*[.。!]?\s*$", 0)
_GLOSSED_LETTER = lettered(r"[A-H]", 0)
_WORDS_LISTED = re.compile(rf"[\"“]?{MASK}+[\"”]?(?:{_JOINED}[\"“]?{MASK}+[\"”]?){{1,7}}\s*[.。!]?")
_BLANK = re.compile(r"[ \t\n:-]*")
# A semicolon in a list of letters ends no sentence: "Answer: B; C".
_SENTENCE_END = lettered(
    r"\n|[。!?]|(?<![A-H(])\.(?=\s|$)|(?<![A-H]);|;(?!\s*[(\[]?[A-H][)\]]?\s*(?:[.。!?;,\n<✅]|$))"
)
_GOOD_ZH: Final = (
    r"(?:大|高|好|像|强|优|佳|合适|适合|符合|有可能|可能|贴切|准确|精确|确切|接近|贴近|恰当|合理|妥当|全面"
    r"|完整|切题|到位|胜一筹)"
)
_BETTER_EN: Final = (
    r" (?:(?:slightly|much|a bit|even|clearly|probably|still|arguably|far|the) )?(?:(?:more|most)"
    r" (?:likely|probable|plausible|fitting|accurate|precise|appropriate|suitable|convincing|relevant"
    r"|complete|specific|direct)"
    r"|better|best|closer|closest|nearer|stronger|strongest|fits (?:better|best|more))"
)
# Of several letters that are left open, the one that the answer leans to: "C or D, more likely D".
LEANING: Final = lettered(
    r"(?:倾向于?|偏向于?|偏好|首选|第一选择|\b(?:first|top|preferred) choice(?: is|:)"
    rf"|[更最]{_GOOD_ZH}的?(?:答案|选项)?(?:应该?|还)?是"
    r"|\blean(?:s|ing)?(?: more)?(?: (?:toward|to)s?)?|\bprefer|\blikely|\b(?:but )?probably"
    r"|\bif (?:i (?:had|have) to|forced to) (?:choose|pick)[, ]*(?:i'd (?:say|pick|choose|go with))?"
    r"|大概(?:率)?是?|多半是?|很可能是?)\s*(?:选择?|是)?\s*(?=[(\[\"“]?(?:option |选?项)?[A-H](?![A-Za-z'’])"
    r"(?!\s*(?:or\b|and\b|和|或|与|、|/)))"
    rf"|(?=(?<![A-Za-z])[A-H](?: is|'s| being| seems| looks)?{_BETTER_EN}\b)"
    rf"|(?=(?<![A-Za-z])[A-H](?:选?项)?(?:的)?(?:可能性|匹配度|解释|说法)?[更最](?:为|加)?{_GOOD_ZH})"
)
# What an answer says of a letter that is not yet the best: “B也类似，但C更好”, "B is close, but C is better".
CONCEDED: Final = lettered(
    r"(?<![A-Za-z])([A-H])(?:选?项)?\s?"
    r"(?:(?:(?:也|还|都|比较|看似|倒是?|有点|算是?|勉强|很|挺|略有?){0,3}"
    r"(?:类似|相似|接近|相近|不错|有(?:一定的?|些|点)?道理|可能|可以|可行|勉强|[说讲]得通|也?行|尚可|沾边|部分正确|不完全正确)(?![是为]))"
    r"|(?:(?:is|'s|may be|might be|could be|seems|sounds|looks|comes)"
    r" (?:also |quite |fairly |very |somewhat )?(?:similar|close|near|good|plausible"
    r"|possible|reasonable|acceptable|relevant|fine"
    r"|(?:partially|partly|half) (?:right|correct|true))\b|(?:could|might|may) (?:also )?"
    r"(?:work|fit|be right|be correct)\b))"
)
# The heading of an answer that is a line of its own: "Answer: D", “【答案】D”, “故选D。”
HEADING: Final = re.compile(
    r"[ \t]*(?:(?:so|thus|therefore|hence),?\s+|(?:所以|因此|综上(?:所述)?|故|于是)[,]?\s*)?"
    r"(?:(?:the |my )?(?:correct |right |best |final )?(?:answer|choice)(?: is\b)?\s*[:=]?"
    r"|(?:本题|此题|我)?的?(?:正确|最佳|参考|最终)?(?:答案|选择)(?:应该?)?(?:是|为|选择?)?\s*:?"
    r"|我?选择?\s*:?|(?:答|结论|回答)\s*:|final\s*:)\s*",
    re.IGNORECASE,
)


def decisions(
    marker: Marker, said: str, masked: str, options: Sequence[str], start: int = 0
) -> Iterator[frozenset[int]]:
    """Yield the options that each marker of one kind selects.

    Markers that are denied or only supposed ("if the answer is ...") are skipped.
    """
    for match in deque(marker(len(options)).finditer(masked, start), MOST_MARKERS):
        if _NOT_MEANT.search(masked[max(0, match.start() - 16) : match.start()]):
            continue
        # The sentence after the marker decides; if the marker ends its line, that of the next line.
        begin = _BLANK.match(masked, match.end())
        stop = _SENTENCE_END(len(options)).search(masked, begin.end() if begin else match.end())
        end = min(stop.start() if stop else len(masked), match.end() + LONGEST_SENTENCE)
        yield _decided(masked[match.end() : end], said[match.end() : end], options)


def after_taking_back(said: str) -> int:
    """Return the position after the last phrase that takes an answer back; 0 if there is none."""
    places = [match.end() for match in _TAKEN_BACK.finditer(said)]
    return places[-1] if places else 0


def _decided(masked: str, said: str, options: Sequence[str]) -> frozenset[int]:
    """Return the first letters after a marker that are not ruled out, else options whose words follow."""
    if said_whole := whole_answer(said, options):
        return said_whole
    if listed := _GLOSSED(len(options)).match(masked):
        return frozenset(
            LETTERS.index(one.upper()) for one in _GLOSSED_LETTER(len(options)).findall(listed[0])
        )
    texts = read_option_texts(said, options, whole=True)
    for mention in read_mentions(masked, len(options)):
        before = masked[: mention.start]
        # A letter that directly follows the marker is the answer, and the text after it an explanation.
        is_answer = not before.strip(" \n\t:-(\"'“[") or before.strip().endswith(":")
        if mention.is_ruled_out and (
            not is_answer or "not" in before or "不" in before or _IS_WRONG.match(masked, mention.end)
        ):
            continue
        if texts and MASK in before:
            return texts  # the option's own words precede a letter that is only discussed
        return mention.choices
    if _WORDS_LISTED.fullmatch(masked.strip()):
        return read_option_texts(said, options)
    return texts or read_option_texts(said, options)


def whole_answer(said: str, options: Sequence[str]) -> frozenset[int]:
    """Return the options whose words are the whole text.

    A single capital letter is always the letter of an option. A small letter that is also the words of an
    option may be either, so both options are returned.
    """
    equal = equal_options(said, options)
    bare = said.strip(" \t\n.。\"'“”()[]")
    if not equal or len(bare) != 1 or bare.upper() not in LETTERS[: len(options)]:
        return equal
    return equal | {LETTERS.index(bare.upper())} if bare.islower() else frozenset({LETTERS.index(bare)})
