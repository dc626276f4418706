"""Rule on stems that ask in the negative."""

import re
from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from parable.quality.finding import Finding
from parable.quality.item.asked import BEFORE, asked
from parable.quality.item.base import STEM, ItemView, RuleCheck
from parable.quality.item.batch import Batch
from parable.sentences import gettext_noop as _

_TRUE_OR_FALSE: Final = re.compile(
    r"\btrue or false\b|\bfalse or true\b|\bor not\b|(?<!\w)[\"“‘'][^\"”’']*[\"”’'](?!\w)"
    "|是否|对还是错|正确还是错误|是不是|能不能|会不会"
)
_AUXILIARY: Final = "(?:is|are|was|were|do|does|did|can|could|will|would|should|may|might|must|has|have|had)"
_ASKS_WHY: Final = re.compile("为什么|为何|怎么会?不|原因导致|就不会")
_ASKED_FOR: Final = (
    rf"(?:^|[,:;] )(?:{BEFORE} )*(?:what|which|who|whom|whose|where|when)\b"
    r"(?:(?! (?:if|when|because|whose|since|that|who|why|how) ).){0,80}?"
)
_NEGATIVE: Final = re.compile(
    rf"{_ASKED_FOR}\b(?:{_AUXILIARY}(?: (?!but\b|and\b|when\b|if\b|or\b)[\w']+){{0,2}} (?:not"
    rf"|never)\b(?! only| to\b| so much)|{_AUXILIARY}n't\b(?! (?:he|she|they|you|i|we|someone|people)\b)"
    rf"|cannot\b)"
    rf"|{_ASKED_FOR}.*\b(?:that|which)(?:'s| {_AUXILIARY})(?: not| never|n't)\b"
    r"|\bexcept(?: for| in)?(?: the| an?| which| what| one)*[:.?_ ]*$|\b(?:all|each|any"
    r"|both) of (?:the following|these)\b.*\b(?:except|but not)\b|\bexcluding what\b"
    r"|\bleast (?:likely|probable|accurate|correct|true|helpful|useful|appropriate|effective|consistent"
    r"|suitable|important|able|related|relevant)\b"
    rf"|\b(?:{_AUXILIARY}|be|statements?|options?|answer|claim) (?:\w+ly )?(?:false|incorrect|untrue"
    rf"|inaccurate)\b"
    r"|\b(?:false|incorrect|untrue|inaccurate) (?:statement|answer|option|one|about|of|regarding"
    r"|concerning)\b"
    r"|\bnot\b[^.?]{0,40}\b(?:is|are)[:_ ]*$|\b(?:is|are|do|does|did|will|can) not[:_ ]*$"
    rf"|^(?!.*\b(?:if|when|that|who|which|because|since|so)\b).*\b{_AUXILIARY} not(?: \w+){{1,4}}[:_ ]*$"
    r"|(?:最不|不太|不大|不)可能(?!.*(?:最可能|最有可能))|不会(?:发生|经历|出现|做)(?:什么|哪)"
    r"|不(?:正确|准确|恰当|符合|合理|属于|包括|包含|可能|太可能|大可能|会(?!影响|改变|妨碍|发生)|是|应该|应|能|一致|适合|对)"
    r"(?:的|[^,，。]{0,14}?的)?(?:一?[项个种条点]|选项|原因|事|说法|描述)?(?:是|有|为|会是)?(?:哪|什么|谁|怎|[:：?？(（_]|$)"
    r"|(?:哪|什么(?!原因)|谁|下列|以下|下面)[^,，。]{0,24}?(?:不(?!好|仅|但|同|如|久|断|得不|会?影响)|没有|(?<![出埋淹沉])没(?![收落])|未|错误|有误|除外|并非)"
    r"|(?:错误|有误|除外)的?(?:一?[项个种条]|选项|说法|描述)?(?:是|有|为)?(?:哪|什么|[:：?？(（_]|$)"
)
_MAY_BE_NEGATIVE: Final = re.compile(
    "not|n't|never|except|excluding|least|false|incorrect|untrue|inaccurate|[不没未]|错误|有误|除外|并非"
)
"""A quick test that every negative stem passes, and few others."""


class NegativeStem(RuleCheck):
    """A stem that asks which option is not the case."""

    id: ClassVar = "negative_stem"
    rule: ClassVar = "avoid_negatives"
    name: ClassVar = _("Negative stem")
    says: ClassVar = _("The stem is negative: it asks for the exception.")
    looks_at: ClassVar = _(
        "Stems that ask which option is not correct: “not”, “except”, “false”, “least likely”."
    )
    why: ClassVar = _(
        "“Not” is easily overlooked, and spotting a wrong claim does not show knowledge of the right one."
    )
    fix: ClassVar = _("Ask for the option that is correct.")

    def candidates(self, batch: Batch) -> Collection[int]:
        """Return the items whose stems have a word that may negate them."""
        return batch.stems.having(_MAY_BE_NEGATIVE)

    def find(self, item: ItemView) -> Iterator[Finding]:
        """Yield one finding about the stem."""
        last = asked(item.own_stem)
        if (
            not last.endswith((".", "!"))
            and _MAY_BE_NEGATIVE.search(last)
            and not _ASKS_WHY.search(last)
            and _NEGATIVE.search(_TRUE_OR_FALSE.sub(" ", last))
        ):
            yield self.at(STEM)
