"""The codes of the nineteen item-writing rules by which people labelled items."""

from typing import Final

from parable.sentences import gettext_noop as _

RULE_NAMES: Final[dict[str, str]] = {
    "grammatical_consistency": _("Options fit the stem and each other grammatically"),
    "focused_stem": _("The stem is one clear question"),
    "problem_in_stem": _("The stem says what is asked"),
    "single_best_answer": _("One option alone is right"),
    "no_extraneous_info": _("The stem has no unnecessary information"),
    "avoid_k_type": _("Options are not combinations of others"),
    "clear_language": _("The wording is clear"),
    "plausible_distractors": _("Distractors are plausible"),
    "avoid_repetition": _("The key does not repeat the stem"),
    "no_logical_cues": _("No option can be ruled out by its form"),
    "no_convergence_cues": _("The key does not combine what the options share"),
    "equal_length_options": _("Options have about the same length"),
    "ordered_options": _("Numbers are in order"),
    "no_absolute_terms": _("No absolute words in options"),
    "no_vague_terms": _("No vague words in options"),
    "avoid_negatives": _("The stem is not negative"),
    "no_all_of_the_above": _("No “all of the above”"),
    "no_none_of_the_above": _("No “none of the above”"),
    "no_fill_in_blank": _("No blank before the end of the stem"),
}
CODES: Final = tuple(RULE_NAMES)
