"""Texts of the evaluation tables, by code; a code without a text is displayed itself."""

# Names tasks: words by code; a task without words is shown by its code.

from collections.abc import Mapping
from typing import Final

from parable.kinds import KINDS
from parable.sentences import gettext_noop as _
from parable.sentences import pgettext_noop, translate

WORDS: Final[Mapping[str, str]] = {
    "accuracy": pgettext_noop("results", "Accuracy by task"),
    "accuracy_about": _(
        "Correct answers in percent of all questions asked, with the 95 %% interval"
        " clustered by story (%(items)d items, %(stories)d stories). An answer that"
        " names no single option is not correct. The strict reading accepts a single"
        " letter only. n counts items; the questions asked are listed under “Responses”,"
        " and people answer a sample."
    ),
    "unequal_about": _(
        "Models were asked different items (%(models)s), so their figures may differ because of the items:"
        " compare models by pairs, which count common items only. Ranks by accuracy are of models with the"
        " same items, abilities of models that common items connect."
    ),
    "unequal_model": pgettext_noop("results", "%(task)s, %(model)s: %(asked)d of %(items)d items"),
    "list_separator": pgettext_noop("results", "; "),
    "score_about": pgettext_noop("results", "Score: 0.4 x commonsense + 0.6 x moral."),
    "measures": pgettext_noop("results", "How near answers come"),
    "measures_about": _(
        "Of tasks whose answers are more than right or wrong, the mean over all questions asked with its"
        " 95 %% interval, clustered by story. Kendall's tau: 1 for the right order, -1 for its reverse; no"
        " answer counts as 0, which is what orders drawn by chance come to."
    ),
    "tau": pgettext_noop("results", "Kendall's tau"),
    "f1": pgettext_noop("results", "F1"),
    "column_measure": pgettext_noop("results", "Statistic"),
    "column_mean": pgettext_noop("results", "Mean"),
    "column_mean_low": pgettext_noop("results", "from"),
    "column_mean_high": pgettext_noop("results", "to"),
    "generality": pgettext_noop("results", "Benchmark and generalized accuracy"),
    "generality_about": _(
        "Accuracy in percent with two 95 %% intervals. On this benchmark: if the same items were asked again"
        " (from two answers per item). Generalized: if other stories had been drawn; clustered by story."
    ),
    "outcomes": pgettext_noop("results", "Responses"),
    "outcomes_about": _(
        "Questions asked and how the answers were read: one option chosen, several"
        " named, a letter with the words of another option, none named, declined by the"
        " model or a content filter, no response. All are in the denominator."
    ),
    "types": pgettext_noop("results", "Error by commonsense type"),
    "types_about": _(
        "Incorrect answers in percent of all questions asked, with the 95 %% interval"
        " clustered by story. An item of two types counts in both. n counts items;"
        " people answer a sample."
    ),
    "styles": pgettext_noop("results", "Human and machine style"),
    "styles_about": _(
        "Accuracy in percent on items whose options were written by people (%(human)d)"
        " and on items whose options were drafted by language models (%(machine)d); the"
        " difference in points with its 95 %% interval, clustered by story."
    ),
    "reviewers": pgettext_noop("results", "Reviewers, blind"),
    "reviewers_about": _(
        "Reviewers answered items of the whole project, also those that were rejected:"
        " n = %(human)d answers in human style, %(machine)d in machine style."
    ),
    "repeats": pgettext_noop("results", "Consistency"),
    "repeats_about": _(
        "For items answered at least twice: the probability that two answers differ"
        " (options by identity; several, none and declined are choices of their own),"
        " items with any difference, items both right and wrong, and items whose first"
        " two answers differ."
    ),
    "ranks": pgettext_noop("results", "Ranks by ability and accuracy"),
    "ranks_about": _(
        "Models by ability (item response theory with three parameters, weak priors, first"
        " answer to each item) beside their accuracy in percent, by task. Abilities have"
        " mean 0 and standard deviation 1 in the population of models."
    ),
    "erratum": pgettext_noop("results", "Corrections"),
    "erratum_about": _(
        "Answers to this release, counted by its keys and by those of %(version)s. Items that count"
        " otherwise, since their key was corrected or they were withdrawn or reworded: %(changed)d."
        " Items before: %(before)d, after: %(after)d. The change is in points, its interval by story."
    ),
    "contents": pgettext_noop("results", "Items by task and split"),
    "contents_about": _("Items of the release."),
    "type_counts": pgettext_noop("results", "Commonsense types"),
    "type_counts_about": _(
        "Items of the release by commonsense type; an item of two types counts in both."
        " Percent of the %(items)d items that have a type, and of all %(labels)d type labels."
    ),
    "figures": pgettext_noop("results", "Statistics of the answers"),
    "figures_about": _(
        "Right answers of the release, counted as the publications of these tasks count them: fragments,"
        " roles, tuples, differences, words and pairs."
    ),
    "column_figure": pgettext_noop("results", "Figure"),
    "column_figure_of": pgettext_noop("results", "of"),
    "column_value": "%(of)s",
    "positions": pgettext_noop("results", "Position bias"),
    "positions_about": _(
        "How many points more often a position is chosen than it has the key, and how"
        " often a key at that position is found; the spread of the latter over positions"
        " in points. p: no bias."
    ),
    "pairs": pgettext_noop("results", "Pairwise comparison"),
    "pairs_about": _(
        "The difference over all repeats in points, clustered by story; p by sign flips over"
        " stories, with Holm's adjustment over all pairs of a task. Of the first repeat:"
        " items only one of the two answers correctly, and McNemar's test clustered by story"
        " (Durkalski et al.). Items needed: how many would show such a difference in 80 of 100 trials."
    ),
    "neighbours": pgettext_noop("results", "Distinguishing models with similar scores"),
    "neighbours_about": _(
        "Models next to each other by accuracy: the distance between them in points, the smallest"
        " difference that these stories and repeats find in 80 of 100 trials (t test by story, 5 %%),"
        " and how many stories and items like these would find theirs. Their distance is an estimate"
        " itself, so the need may be larger or smaller."
    ),
    "variance": pgettext_noop("results", "Sources of variance"),
    "variance_about": _(
        "Where right and wrong answers come from, in percent of the variance of one answer: models,"
        " stories, items within stories, models with stories, models with items, and repeats of the same"
        " question (– where nothing was asked twice: then part of models with items). Only items that"
        " every model was asked."
    ),
    "replication": pgettext_noop("results", "Comparison with published figures"),
    "replication_about": _(
        "%(figures)d published figures: %(equal)d equal, %(differs)d different, %(possible)d possible,"
        " %(no_figure)d that Parable cannot calculate. Possible: there are no answers here, and a"
        " whole number of correct answers gives the printed percent."
    ),
    "column_in_table": pgettext_noop("results", "Table"),
    "column_in_row": pgettext_noop("results", "Row"),
    "column_in_task": pgettext_noop("results", "Task"),
    "column_in_column": pgettext_noop("results", "Column"),
    "column_published": pgettext_noop("results", "Published"),
    "column_ours": pgettext_noop("results", "Parable"),
    "column_apart": pgettext_noop("results", "Difference"),
    "column_whole_count": pgettext_noop("results", "Count"),
    "column_result": pgettext_noop("results", "Result"),
    "equal": pgettext_noop("results", "equal"),
    "differs": pgettext_noop("results", "different"),
    "possible": pgettext_noop("results", "possible"),
    "no_figure": pgettext_noop("results", "no figure"),
    "calibration": pgettext_noop("results", "Item analysis"),
    "drafted_mark": "*",
    "drafted_note": pgettext_noop("results", "* drafted options of these items"),
    "column_models": pgettext_noop("results", "Models"),
    "column_stories": pgettext_noop("results", "Stories"),
    "column_distance": pgettext_noop("results", "Apart"),
    "column_least": pgettext_noop("results", "Smallest found"),
    "column_stories_needed": pgettext_noop("results", "Stories needed"),
    "column_items_needed": pgettext_noop("results", "Items needed"),
    "column_variance": "%(of)s",
    "column_variance_whole": pgettext_noop("results", "Variance"),
    "model": pgettext_noop("results", "Model"),
    "story": pgettext_noop("results", "Story"),
    "item": pgettext_noop("results", "Item"),
    "model_story": pgettext_noop("results", "Model × story"),
    "model_item": pgettext_noop("results", "Model × item"),
    "repeat": pgettext_noop("results", "Repeat"),
    "column_examinee": pgettext_noop("results", "Examinee"),
    "column_first": pgettext_noop("results", "First"),
    "column_second": pgettext_noop("results", "Second"),
    "column_task": pgettext_noop("results", "Task"),
    "column_accuracy": "%(of)s",
    "column_strict": pgettext_noop("results", "%(of)s, strict"),
    "column_score": pgettext_noop("results", "Score"),
    "column_items": pgettext_noop("results", "Items"),
    "column_asked": pgettext_noop("results", "Asked"),
    "column_right": pgettext_noop("results", "Correct"),
    "column_chosen": pgettext_noop("results", "Chosen"),
    "column_ambiguous": pgettext_noop("results", "Several"),
    "column_contradicting": pgettext_noop("results", "Contradicting"),
    "column_unparsed": pgettext_noop("results", "None"),
    "column_refused": pgettext_noop("results", "Declined"),
    "column_failed": pgettext_noop("results", "No response"),
    "column_error": "%(of)s",
    "column_difference": pgettext_noop("results", "Difference"),
    "column_type": pgettext_noop("results", "Type"),
    "column_count": "%(of)s",
    "column_share_of_items": pgettext_noop("results", "Percent of items"),
    "column_share_of_labels": pgettext_noop("results", "Percent of labels"),
    "column_first_accuracy": pgettext_noop("results", "Accuracy"),
    "column_accuracy_rank": pgettext_noop("results", "Rank by accuracy"),
    "column_ability": pgettext_noop("results", "Ability"),
    "column_ability_rank": pgettext_noop("results", "Rank by ability"),
    "column_accuracy_before": pgettext_noop("results", "Accuracy before"),
    "column_accuracy_after": pgettext_noop("results", "Accuracy after"),
    "column_correction": pgettext_noop("results", "Change"),
    "column_rank_before": pgettext_noop("results", "Rank before"),
    "column_rank_after": pgettext_noop("results", "Rank after"),
    "column_orders": pgettext_noop("results", "Options"),
    "column_askings": pgettext_noop("results", "Answers per item"),
    "column_differ": pgettext_noop("results", "Two differ"),
    "column_any_differ": pgettext_noop("results", "Any differ"),
    "column_flips": pgettext_noop("results", "Right and wrong"),
    "column_first_two": pgettext_noop("results", "First two differ"),
    "column_answered": pgettext_noop("results", "Answers"),
    "column_excess": pgettext_noop("results", "%(of)s: chosen minus keys"),
    "column_found": pgettext_noop("results", "%(of)s: keys found"),
    "column_spread": pgettext_noop("results", "Spread"),
    "column_preference_p": "p",
    "column_only_first": pgettext_noop("results", "Only first correct"),
    "column_only_second": pgettext_noop("results", "Only second correct"),
    "column_sign_flips": "p",
    "column_clustered": pgettext_noop("results", "p, McNemar by story"),
    "column_benchmark": pgettext_noop("results", "On this benchmark"),
    "column_generalised": pgettext_noop("results", "Generalized"),
    "column_holm": pgettext_noop("results", "p, Holm"),
    "column_design_effect": pgettext_noop("results", "Design effect"),
    "column_needed": pgettext_noop("results", "Items needed"),
    "train": pgettext_noop("results", "Train"),
    "dev": pgettext_noop("results", "Dev"),
    "test": pgettext_noop("results", "Test"),
    "all": pgettext_noop("results", "All"),
    "commonsense": pgettext_noop("results", "Commonsense"),
    "moral": pgettext_noop("results", "Moral"),
    "social": pgettext_noop("results", "Social"),
    "biological": pgettext_noop("results", "Biological"),
    "temporal": pgettext_noop("results", "Temporal"),
    "spatial": pgettext_noop("results", "Spatial"),
    "physical": pgettext_noop("results", "Physical"),
    "human": pgettext_noop("results", "Human style"),
    "machine": pgettext_noop("results", "Machine style"),
    "random": pgettext_noop("results", "Random guessing"),
    "same_order": pgettext_noop("results", "in one order"),
    "several_orders": pgettext_noop("results", "in several orders"),
    "low": pgettext_noop("results", "%(column)s, from"),
    "high": pgettext_noop("results", "%(column)s, to"),
    "percent": pgettext_noop("results", "percent"),
    "points": pgettext_noop("results", "points"),
    "share_of_answers": pgettext_noop("results", "share of answers in percent"),
    "people_mark": pgettext_noop("results", " (people)"),
    "plot_right": pgettext_noop("results", "correct"),
    "plot_wrong": pgettext_noop("results", "wrong"),
    "plot_ambiguous": pgettext_noop("results", "several"),
    "plot_contradicting": pgettext_noop("results", "contradicting"),
    "plot_unparsed": pgettext_noop("results", "none"),
    "plot_refused": pgettext_noop("results", "declined"),
    "plot_failed": pgettext_noop("results", "no response"),
}


def word(code: str, language: str) -> str:
    """Return the text of a code or the name of a task; the code itself if it is unknown."""
    found = WORDS.get(code) or (KINDS[code].name if code in KINDS else "")
    return translate(found, language) if found else code
