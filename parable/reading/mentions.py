"""Letters that an answer mentions, and how: chosen, ruled out, or only discussed."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from .letters import LETTERS, lettered

MASK = "◇"
MOST_MENTIONS = 200
"""Maximum number of mentions that are read in one text; of more, only the last ones."""
LONGEST_CLAUSE = 2000
"""Maximum number of characters after a letter that are searched for a verdict, including options' words."""

_AND = (
    r"[\"'”’]?\s*(?:,?\s*(?:\band\b(?: (?:also|possibly|perhaps|maybe)\b)?|\bor\b|\bas well as\b|\bplus\b"
    r"|以及|还有|及|和|与|跟|或者|或|还是)"
    r"|[、/&+|\\·]{1,2}|\(\s*(?:and\b|also\b|和|及|以及))\s*(?:[Oo]ptions? |选项|也?选)?[\"'“‘]?"
)
_LETTER = r"[(\[]?(?<![A-Za-z0-9_-])(?<![A-Za-z]['’])[A-H](?!['’-]?[A-Za-z0-9_])[)\]]?"
# A comma joins letters only if the text shows a list: "A, C and D", "A, C are wrong", "A, C (both)", or
# "A, C" at the end. Any other text after the last letter is about this letter alone: "A, C is wrong".
_LIST_ENDS = (
    r"(?=\s*(?:[.。!?;…~<⟦\"'”’}✅✓√✔\U0001f300-\U0001faff]|$|,?\s*(?:都|均|皆|两|三|二者)|[这哦啊呀吧呢嘛哈]"
    r"|are\b|were\b|both\b"
    r"|,?\s*(?:\(|-|:|because\b|since\b|as\b|因为|由于)[^.。;\n)]{0,40}?"
    r"(?:\b(?:both|all|two|three|they|these|either|several|multiple)\b|都|均|皆|两|三|多选|它们)))"
)
_COMMA = r"[\"'”’]?\s*[,;]\s*(?:[Oo]ptions? |选项|也选)?[\"'“‘]?"
_LISTED = rf"{_LETTER}(?:{_COMMA}{_LETTER}){{1,7}}(?:{_AND}{_LETTER}|{_LIST_ENDS})"
_STOPPED = rf"{_LETTER}(?:\s*[.。]\s*{_LETTER}){{1,7}}(?=[.。]?[ \t]*(?:\n|$))"
_SPACED = rf"{_LETTER}(?:[ \t]+{_LETTER}){{1,7}}(?=[ \t]*(?:[.。!?;\n]|$))"
_BRACKETED = r"[(\[][A-H][)\]](?:[ \t]*[(\[][A-H][)\]]){1,7}"
_RUN = r"(?<![A-Za-z0-9_'’-])[A-H]{2,8}(?![A-Za-z0-9_'’-])"
_GROUP = lettered(
    rf"{_LISTED}|{_STOPPED}|{_SPACED}|{_BRACKETED}|{_LETTER}(?:{_AND}{_LETTER}){{0,7}}|{_RUN}", 0
)
_SMALL = lettered(r"\(([a-h])\)|^[\s\"'“]*\(?([a-h])\)?(?=\s*(?:[.):,;。、]|$))", re.MULTILINE)

# "A" before a word is an article and "I" a person, unless the word is one that follows the name of an option.
_AFTER_A_NAME = (
    "is|was|isn't|wasn't|because|since|as|and|or|but|for|seems?|looks?|fits?|best|would|does|doesn't|can"
    "|cannot|can't|only|matches|says|captures|explains|mentions|describes|contradicts|misses|goes|reflects"
    "|it|makes?|rather|instead|over|beats|not|works|must|should|could|may|might|will|has|had|also|clearly|alone|directly"
)
_ARTICLE = re.compile(rf"\s+(?!(?:{_AFTER_A_NAME})\b)[a-z]")
_PERSON = re.compile(
    r"\s+(?!(?:is|was|because|since|as|and|or|fits|seems|makes|best|matches|says"
    r"|(?:rather than|instead of|not) [A-Z])\b)[a-z]"
)
_NAMED_BEFORE = re.compile(
    r"(?:option|choice|answer|letter|select|choose|pick|选项?|项)\s*[:\"'“]?\s*$", re.IGNORECASE
)

_WORDS = {"A": _ARTICLE, "I": _PERSON}
# Letters that name something else: units, types of blood, plans, floors, blocks, vitamins, people.
_NAMES_BEFORE = re.compile(
    r"(?:\b(?:plan|plans|vitamins?|blocks?|building|tower|room|floor|level|hall|wing|unit|suite|apartment|flat"
    r"|gates?|exit|terminal|platform|section|sector|zone|area|row|seat|lot|ward|bay|dock|group|team|squad|class"
    r"|grades?|blood type|types?|hepatitis|influenza|flu|strain|side|track|size|schedule|appendix|exhibit"
    r"|figure|fig\.|table|chapter|points?|phase|player|person|patient|student|company|product|model|route|line"
    r"|bus|road|street|highway|string|key of|(?:got|gets|get|received|earned|made|scored) an?|straight"
    r"|mr\.?|mrs\.?|ms\.?|miss|dr\.?|agent|series|category|tier|flight|counter|lane|dorm|dormitory|station|deck|stage|corridor|pier|runway|court|league|division|camp)\s+(?:type\s+)?"
    r"|维生素|维他命|血型[是为]?|(?:\d|[一二三四五六七八九十])[楼层号栋幢]\s?|[小老阿某大]|同学|先生|路人|公司|[甲乙丙丁]型|线路|方案|计划|航站楼|出口|单元|教室|会议室)[\"'“(]?$",
    re.IGNORECASE,
)
_NAMES_AFTER = re.compile(
    r"\s?(?:型|楼|座(?!位上)|栋|幢|单元|区(?![分别])|室|班|组(?![成织合])|队|级|超(?![出过越脱])|股|轮(?!到)|罩杯|血型|地铁|罗(?=[进在是的])|盘(?!点)"
    r"|站(?![在着住立不得起到出])|出口|入口|通道|口(?=出|进|等)|馆|厅|教室|车间|车厢|停车|航站|登机|号(?![称召])|门(?!槛)"
    r"|列(?![举出])|排(?![除斥序列])|国|市(?!场)|县|村|镇|校|公司|厂|店|同学|先生|女士|小姐|君|某|计划|方案|路线|线(?!索)"
    r"|套餐|语言|类(?![似比])|层(?![层次面])|角(?![度色])|大调|小调|弦|肝|轮融资|级片|片(?![面段])|卷|版|君|点(?=[到至,.。和与的]|$))"
    r"|\+\+|#|(?:-| )(?:blood|side|movie|minor|major|flat|sharp|level|student|team|list|cup|vitamin|battery"
    r"|vitamins|train|bus|flight|wing|block|building|plan)\b"
    r"|\. (?:coli|elegans|pylori|difficile|botulinum|aureus|melanogaster|diphtheriae|cerevisiae)\b",
)
_DEGREES_BEFORE = re.compile(r"(?:°|degrees?|度|\d\d)\s?$")
_SEPARATED = re.compile(r"[,;.。]")
_ERA = re.compile(r"\d\s?$")
_ASKED = re.compile(r"[)\]\"'”]{0,2}\s{0,2}[对吗呢]{0,2}\s?\?")
_MASKED = re.compile(rf"{MASK}+")
_OWN_WORDS = re.compile(rf"[ \t.):、,;-]{{0,4}}[(\[\"'“]?{MASK}[)\]\"'”]?")

_STOP = re.compile(
    r"[,;.!?。\n:]|\bbecause\b|\bsince\b|\b(?:but|while|whereas) (?=(?:option )?[A-Z]\b)"
    r"|因为|由于|但(?=[A-Z])",
    re.IGNORECASE,
)
# A verdict directly after a letter, with any punctuation between: "A: wrong", "(B) correct", "C ✓".
_VERDICT = re.compile(
    r"(?:选?项)?[ \t]*(?:[.:=-]|[-=]>|→)?[ \t]*(?=(?:in)?correct\b|[✓√✔✅✗×❌]"
    r"|(?:right|wrong|false|true|yes|no|错误|不?正确|不?对|不?是|错|否|无关|排除|不?符合)的?"
    r"\s*(?:[,.;:!()。\n-]|$|because\b|since\b|因为|[A-Z] ?(?:[.):=→]|[-=]>)))",
    re.IGNORECASE,
)
_OPENING = re.compile(r"[,;.!?。\n]")  # text before a colon belongs to the letter after it: "Wrong: A"
_CALLED = r"(?:the\s+)?(?:options?|choices?|answers?|选项|答案|项)?\s*[(\[\"'“]*$"
_RULED_OUT_BEFORE = re.compile(
    r"(?:(?<!是)不(?!仅|但|只|光|如)(?:应该?|该|能|会|可以?|要|太?可能)?(?:再|去)?(?:选择?|是|算|属于)?"
    r"|并?非(?:是)?|而不是|绝不是|除了?|排除(?:了|掉)?|除去|舍弃|剔除|放弃|没有?选|不同于|相比(?:于|之下)?|比"
    r"|与其(?:说|选)?|优于|胜过|强于|好过|误(?:选|以为)"
    r"|\bnot\b|\bcannot\b|n't|\bnever|\bnor|\bneither|(?<!worse )(?<!weaker )(?<!poorer )\bthan|\binstead of"
    r"|\bunlike|\bexcept(?: for)?|\b(?:anything|everything|all) but"
    r"|\bexclud\w+|\beliminat\w+|\brul\w+ out|\breject\w*|\bdiscard\w*"
    r"|\bcompared (?:to|with)|\bwrong\w*|\bincorrect\w*|\bbeats?\b|\bover\b|\bas opposed to|\bno longer)"
    r"(?:\s+(?:choose|choosing|pick|select|be|to|possibly|really|necessarily|likely|simply|just))*"
    rf"\s*{_CALLED}"
    r"|^\s*(?:wrong|incorrect|错误)[^:]{0,12}:\s*$",
    re.IGNORECASE,
)
# A denial after one letter may be of another: "D, not B" and “D而不是B” rule out B.
_CONTRAST = lettered(
    r"\s*[,(]?\s*(?:而不是|而非|而不选|并?不选|不是(?:选项)?(?=\s*[A-H])|非(?=[A-H])|优于|胜过|强于|好过"
    r"|\brather than\b|\binstead of\b|\bas opposed to\b|\bover\b|\bbeats?\b"
    r"|(?:\bbut |\band )?\bnot\b(?=\s*[(\[\"'“]?(?:options? )?[A-H](?![A-Za-z])))"
)
_BECAUSE_BEFORE = re.compile(
    r"(?:因为|由于|虽然|尽管|即使|如果|假如|要是|若|就算|有人(?:会|可能|认为)?"
    r"|\b(?:some|many|others|people|readers) (?:\w+ )?(?:say|think|argue|believe|feel)"
    r"|起初|一开始|乍一?看|\bbecause|\bsince"
    r"|\balthough|\bthough|\bwhile|\bwhereas|\beven if|\bif|\bwhy|\btempted|\bat first|\binitially"
    r"|\b(?:might|may|could|would) (?:be tempted to )?(?:think|say|pick|choose|guess))[^,;.!?。\n:]{0,24}$",
    re.IGNORECASE,
)
_FILLER = (
    r"(?:选项|项|答案|这个|这些|的?说法|的?表述|的?意思|都|均|也|皆|全|就|则|显然|明显|太|[(\[)\]\"'”]|\s"
    r"|is|are|was|were|seems?|looks?|clearly|obviously|also|both|all)*"
)
_NEAR_NO = re.compile(
    rf"{_FILLER}(?:不(?!仅|但|只|光|难|过|错)|没(?!有?(?:错|问题))"
    r"|无关|无法|错|否|有误|片面|并非|相反|过于"
    r"|\bnot\b|n't\b|\bfalse\b|\bfails?\b|\bmisses\b|\bout\b|no\b|\bnever\b|\bclose\b|\bworse\b|\bweaker\b"
    r"|\bpoorer\b|\btempting|\bplausible|\bpartly|\btoo |\bcannot\b|✗|×|❌|x\b)",
    re.IGNORECASE,
)
_CLEAR_NO = re.compile(
    r"错误|错的|不正确|不对|不符|不合|不恰当|不准确|不贴切|不是|不能|无关|排除|偏离|干扰项|说反|"
    r"\bwrong|incorrect|does not|doesn't|do not|don't|is not|isn't|are not|aren't|irrelevant|unrelated"
    r"|off the point|ruled out|eliminated|contradict|✗|❌",
    re.IGNORECASE,
)
_ASIDE_AFTER = re.compile(
    r"看似|看起来|好像|貌似|似是而非|有(?:一定|些|点)?道理"
    r"|\b(?:would|might|may|could) (?:be|have been)\b.*\bif\b"
    r"|\b(?:seems?|seemed|looks?|looked|sounds?|sounded)\b.*\b(?:at first|but)\b",
    re.IGNORECASE,
)
_PRAISED_BEFORE = re.compile(
    r"(?:(?<!not )\bonly|\bleaving|\bleaves|只有|唯有|只剩下?|剩下的?是?)(?: (?:option|choice))?\s*[(\"'“]?$",
    re.IGNORECASE,
)
_HEDGED_BEFORE = re.compile(
    r"(?:\bpossibly|\bperhaps|\bless likely|\b(?:second|next) choice(?: is|:)|第二选择[是为:]?"
    r"|也许是?|或许是?|其次是?)\s*[(\"'“]?$",
    re.IGNORECASE,
)
_HEDGED_AFTER = re.compile(
    r"[^,;.]{0,20}(?:\b(?:partially|partly|half|somewhat) (?:right|correct|true)\b"
    r"|部分正确|不完全(?:对|正确))",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^\s*(?:yes\b|[是对]\s*(?:$|[)的]))|正确|最?符合|最合适|最恰当|最贴切|最准确|最好|更好|更合适|更贴切|才对|才是|对的|"
    r"\bcorrect|\bright\b|\bbest\b|\bbetter\b|\bthe answer|\bfits\b|\bmatches\b|✓|√|✔|✅",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """One or more letters named together: where, which options (from 0), and how the text treats them."""

    start: int
    end: int
    choices: frozenset[int]
    is_ruled_out: bool
    is_aside: bool
    is_praised: bool
    is_asked: bool
    is_hedged: bool = False

    @property
    def counts(self) -> bool:
        """Whether the answer may mean these letters."""
        return not self.is_ruled_out and not self.is_aside


def read_mentions(text: str, count: int, *, labels: frozenset[int] = frozenset()) -> Iterator[Mention]:
    """Yield every mention of the first `count` letters, in order.

    `labels` are positions of letters that begin lines in a list of options; for these letters, the whole line
    is searched for a verdict.
    """
    for start, end, choices in _named(text, count):
        before, after = _around(text, start, end, count, whole_line=start in labels)
        ruled_out = bool(_RULED_OUT_BEFORE.search(before)) or is_denied(after)
        aside = start not in labels and bool(_BECAUSE_BEFORE.search(before) or _ASIDE_AFTER.search(after))
        praised = not ruled_out and bool(_YES.search(after[:60]) or _PRAISED_BEFORE.search(before))
        asked = start not in labels and _ASKED.match(text, end) is not None
        hedged = bool(_HEDGED_BEFORE.search(before) or _HEDGED_AFTER.match(after))
        yield Mention(start, end, choices, ruled_out, aside, praised, asked, hedged)


def is_denied(after: str) -> bool:
    """Return whether the text after a letter, or after an option's words, says that it is wrong."""
    return bool(_NEAR_NO.match(after) or _CLEAR_NO.search(after[:60]))


def clause_behind(text: str, end: int) -> str:
    """Return the text after a position up to the end of the clause."""
    ahead = text[end : end + LONGEST_CLAUSE]
    stop = _STOP.search(ahead)
    return ahead[: stop.start()] if stop else ahead


def _named(text: str, count: int) -> Iterator[tuple[int, int, frozenset[int]]]:
    groups = deque(_GROUP(count).finditer(text), MOST_MENTIONS)
    spans = [span for match in groups for span in _split(match)]
    taken = [(start, end) for start, end, _said in spans]
    for match in deque(_SMALL(count).finditer(text), MOST_MENTIONS):
        letter = 1 if match[1] else 2
        if not any(start <= match.start(letter) < end for start, end in taken):
            spans.append((match.start(letter), match.end(), match[letter].upper()))
    for start, end, said in sorted(spans):
        if (
            said in _WORDS
            and not _NAMED_BEFORE.search(text[max(0, start - 12) : start])
            and _WORDS[said].match(text, end)
        ):
            continue  # an English word here
        if _is_a_name(said, text, start, end):
            continue
        named = _letters(said)
        if named and max(named) < count:
            yield start, end, named


def _split(match: re.Match[str]) -> list[tuple[int, int, str]]:
    """Return a group of letters as (start, end, text), split in two if a denial covers only a part.

    Lists of letters ascend, so “D，A和B都不对” denies A and B only; "Not A; B." denies A only.
    """
    start, end, said = match.start(), match.end(), match[0]
    separator = _SEPARATED.search(said)
    if separator is None:
        return [(start, end, said)]
    first, others = said[: separator.start()], said[separator.end() :]
    if not (_letters(first) and _letters(others)):
        return [(start, end, said)]
    if separator[0] == ",":
        goes_down = min(_letters(others)) < min(_letters(first))
        stands_alone = goes_down and is_denied(match.string[end : end + 60])
    else:
        before = match.string[max(0, start - 60) : start]
        stands_alone = _RULED_OUT_BEFORE.search(before) is not None
    if not stands_alone:
        return [(start, end, said)]
    return [(start, start + len(first), first), (start + separator.end(), end, others)]


def _letters(said: str) -> frozenset[int]:
    """Return the positions of letters; letters written as one word count only if they ascend: "AC"."""
    bare = [LETTERS.index(char) for char in re.findall(r"(?<![a-z])[A-Z](?![a-z])", said)]
    if re.fullmatch(r"[A-Z]{2,}", said) and sorted(set(bare)) != bare:
        return frozenset()
    return frozenset(bare)


def _is_a_name(said: str, text: str, start: int, end: int) -> bool:
    """Return whether a letter is part of the name of something else: "Plan B", "5°C", “B型血”."""
    before = text[max(0, start - 24) : start]
    if _NAMED_BEFORE.search(before):
        return False
    if said in ("AD", "BC", "BCE", "CE") and _ERA.search(before):
        return True
    if said in ("C", "F") and _DEGREES_BEFORE.search(before):
        return True
    return _NAMES_BEFORE.search(before) is not None or _NAMES_AFTER.match(text, end) is not None


def _around(text: str, start: int, end: int, count: int, *, whole_line: bool) -> tuple[str, str]:
    """Return the text before and after a letter in its clause.

    For the label of a line, return the rest of the line. An option's words after its letter are skipped, as
    a verdict may follow them.
    """
    before = _OPENING.split(text[max(0, start - 60) : start])[-1]
    ahead = _MASKED.sub(MASK, text[end : end + LONGEST_CLAUSE])[:200]
    if whole_line:
        return "", ahead.split("\n", 1)[0].lstrip(" .):、,")
    if words := _OWN_WORDS.match(ahead):
        ahead = ahead[words.end() :]
    if contrast := _CONTRAST(count).match(ahead):
        return before, ahead[: contrast.start()]
    if verdict := _VERDICT.match(ahead):
        ahead = ahead[verdict.end() :]
    stop_ahead = _STOP.search(ahead)
    return before, ahead[: stop_ahead.start()] if stop_ahead else ahead
