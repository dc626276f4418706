"""A gate that tests whether an option's form reveals the key: punctuation, width, script, numbers."""

import unicodedata
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from parable.quality.gates.base import ALL, STYLE, ItemSet
from parable.quality.gates.decision_rule import Measured, MeasuringGate, share_test
from parable.quality.gates.marks import SCRIPT, SIGN, marks
from parable.quality.gates.picks import LACKS, trials, try_features
from parable.quality.gates.sample import drawn_from, sample
from parable.sentences import gettext_noop as _

WEIGHT: Final = 0.5
"""All features together count as half a test: features that reveal keys usually do so very clearly."""

FEATURES: Final[Mapping[str, str]] = {
    "full_width": _("full-width signs"),
    "half_width": _("half-width signs"),
    "stray_space": _("extra white space or invisible characters"),
    "end_stop": _("a closing stop"),
    "capital": _("a capital at the beginning"),
    "capitals": _("a word in capitals"),
    "digits": _("digits"),
    "accents": _("letters with accents"),
    "simplified": _("simplified characters"),
    "traditional": _("traditional characters"),
    "largest_number": _("the largest number"),
    "smallest_number": _("the smallest number"),
    "middle_number": _("a number in the middle"),
    "out_of_order": _("a number out of order"),
}


class SurfaceCues(MeasuringGate):
    """Choose the options with, or without, a feature of form, for each feature that occurs."""

    id: ClassVar = "tells"
    parts: ClassVar = (ALL, STYLE)
    samples: ClassVar = True
    trait: ClassVar = "has_own_options"
    name: ClassVar = _("Form of the key")
    looks_at: ClassVar = _(
        "How many items are answered by always choosing the options with some feature of form, or those"
        " without it: signs and their width, extra white space, a closing stop, capitals, scripts, digits,"
        " and the largest, smallest or middle number."
    )
    why: ClassVar = _(
        "A key that looks different from its distractors can be found without reading anything."
    )
    fix: ClassVar = _(
        "In the items listed here, write all options in one form, or give distractors the feature of the key."
    )

    def measure(self, items: ItemSet) -> list[Measured]:
        """Return the measurements of each task; the rules for all features share one test."""
        found: list[Measured] = []
        for task in self.tasks_in(items):
            keyed = items.keyed(task)
            read = sample(keyed)
            features = try_features(read, (marks(items.typed(item)) for item in read))
            tried = share_test(trials(read, features), WEIGHT)
            found.append(Measured(self.id, task, len(read), tried, detail=drawn_from(keyed, read)))
        return found

    def rule_words(self, rule: str, say: Callable[[str], str]) -> str:
        """Return the translated description of a rule: "with" or "without" its feature."""
        feature = rule.removeprefix(LACKS)
        words = say(_("without %(feature)s")) if rule.startswith(LACKS) else say(_("with %(feature)s"))
        return words % {"feature": _feature_words(feature, say)}


def _feature_words(feature: str, say: Callable[[str], str]) -> str:
    if feature.startswith(SIGN):
        sign = feature.removeprefix(SIGN)
        code = f"U+{ord(sign):04X}"
        is_invisible = unicodedata.category(sign)[0] in "ZC"
        return say(_("the sign %(sign)s")) % {"sign": code if is_invisible else f"{sign} ({code})"}
    if feature.startswith(SCRIPT):
        return say(_("letters of the script %(script)s")) % {"script": feature.removeprefix(SCRIPT).upper()}
    return say(FEATURES[feature])
