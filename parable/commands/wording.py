"""Sentences of the commands, by code."""

# Names tasks: words by code; a task without words is shown by its code.

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from parable.commands.outcome import UNUSABLE
from parable.formats.errors import RowError, error_message
from parable.quality.item import CHECKS, Finding
from parable.sentences import gettext_noop as _
from parable.sentences import pgettext_noop, translate

_SENTENCES: Final[Mapping[str, str]] = {
    "ok": pgettext_noop("audit", "ok"),
    "warning": pgettext_noop("audit", "warning"),
    "error": pgettext_noop("audit", "failed"),
    "not_applicable": pgettext_noop("audit", "not applicable"),
    "commonsense": pgettext_noop("audit", "commonsense"),
    "moral": pgettext_noop("audit", "moral"),
    "place": pgettext_noop("audit", "%(file)s, row %(row)s, %(field)s: "),
    "slice_done": _("Slice %(slice)d of %(of)d: %(items)d items."),
    "slices_number": _(
        "Give --slices at least 1 and at most 10000, and --slice a number from 1 to --slices."
    ),
    "slices_where": _("Name the folder of the states with --states."),
    "slices_alone": _("Reports and language models need the whole set; leave out --slices."),
    "slices_none": _("There is no state of any slice."),
    "slices_of_others": _("The states belong to other files, or to another number of slices."),
    "slices_missing": _("States of slices are missing or there twice: %(about)s."),
    "slices_share_ids": _(
        "Several files have an item of the ID %(about)s; give items of one set different IDs."
    ),
    "slices_damaged": _("The state of a slice is damaged: %(about)s."),
    "no_items": _("These files have no items."),
    "client_missing": _("This needs the package parable-client: pip install the folder clients/python."),
    "hub_name": _("Name the data set as OWNER/NAME, not %(repo)s."),
    "hub_no_release": _("%(folder)s is no release: %(files)s cannot be read."),
    "hub_missing": _("Files of the release are missing in %(folder)s: %(files)s. Nothing was sent."),
    "hub_changed": _("Files differ from the manifest: %(files)s. Nothing was sent."),
    "hub_would_send": _("Would be sent to %(repo)s: %(n)d files, %(megabytes).1f MB."),
    "hub_public": _("A new data set would be public."),
    "hub_private": _("A new data set would be private; --public makes it public."),
    "hub_sent": _("Sent: %(n)d files, %(megabytes).1f MB. %(address)s"),
    "hub_token": _("The hub does not accept the token. Use one that may write."),
    "hub_right": _("The token may not write to %(repo)s."),
    "hub_repo": _("The hub has no %(repo)s, or the token may not see it."),
    "hub_large": _("The hub refuses files of this size."),
    "hub_often": _("The hub is asked too often. Try again later."),
    "hub_refused": _("The hub refuses (%(status)s): %(said)s"),
    "hub_away": _("The hub cannot be reached: %(said)s"),
    "creator": _("Write a creator as “Family, Given” or “Family, Given;ORCID iD”, not “%(files)s”."),
    "deposit_would": _("Would be deposited at %(archive)s."),
    "deposit_draft": _("It would be a draft that only you see; --publish makes it public."),
    "deposit_for_good": _("It would be public for good: what is published cannot be taken back."),
    "deposit_done": _("Deposited as a draft, for you to publish: %(address)s (DOI: %(doi)s)."),
    "deposit_public": _("Published: %(address)s (DOI: %(doi)s)."),
    "deposit_there": _("%(title)s %(version)s is published already (DOI: %(doi)s). Nothing was sent."),
    "deposit_token": _("The archive does not accept the token. Set ZENODO_TOKEN to one that may deposit."),
    "deposit_right": _("The token may not deposit."),
    "deposit_licence": _("The archive takes only well-known licences, such as CC BY 4.0, not “%(licence)s”."),
    "deposit_address": _("Tokens are sent over https:// only, or to this machine, not to %(address)s."),
    "deposit_bytes": _("%(file)s did not arrive as it was sent. Try again."),
    "deposit_refused": _("The archive refuses (%(status)s): %(said)s"),
    "deposit_away": _("The archive cannot be reached: %(said)s"),
    "no_format": _("There is no format %(format)s. Known: %(formats)s."),
    "none_written": _("No item can be written as %(format)s: each lacks a key or is of another task."),
    "items_written": _("Items written to %(file)s (%(format)s): %(n)d."),
    "items_left_out": _(
        "Items left out, without a key or of a task that the format lacks: %(n)d (%(items)s)."
    ),
    "not_in_file": _("The format has no place for (number of items): %(found)s."),
    "unwritable": pgettext_noop("audit", "Cannot write %(folder)s: %(reason)s."),
    "written": pgettext_noop("audit", "Report: %(files)s"),
    "withheld": _("The answers of %(n)d items are withheld; provide them with --answers."),
    "splits_scored": _("Scored splits, those that were answered: %(splits)s (%(models)s)."),
    "no_responses": _("The responses match none of these items."),
    "changed_files": _("Note: files that differ from the manifest: %(files)s."),
    "cut_off": _(
        "%(model)s: %(n)d of %(of)d answers were cut off at the limit of tokens. Of these, a choice counts"
        " only where it was said first. Ask again with a higher max_tokens."
    ),
    "only_thought": _(
        "%(model)s: %(n)d of %(of)d answers are thinking without an answer, and count as naming no option."
    ),
    "tool_alike": _(
        "%(model)s: of %(of)d answers that the tool scored, %(n)d are scored alike here; differences:"
        " %(more)d."
    ),
    "tool_right": _("%(item)s: right for the tool, not here; read as %(read)s."),
    "tool_wrong": _("%(item)s: wrong for the tool, right here; read as %(read)s."),
    "answered_by": _("%(model)s: the server answered as %(names)s."),
    "tables_written": _("%(n)d files written to %(folder)s."),
    "more_errors": _("and %(n)d more kinds of errors; --json has all errors"),
    "remarks": _("How the files were read:"),
    "remarks_heading": _("How the files were read"),
    "remarks_about": _("What was read otherwise than it is written, or not at all."),
    "checks": _("Checks of single items: %(items)d items."),
    "checks_sampled": _("Checks of single items: %(looked_at)d of %(items)d items, drawn by a fixed seed."),
    "unread": _(
        "%(n)d items are in languages other than Chinese and English; checks that read words do not apply."
    ),
    "found_first": pgettext_noop("audit", "first: %(items)s. %(said)s"),
    "judge": _("Assessed by the language model %(model)s: %(judged)d of %(items)d items."),
    "judge_findings": _("Findings by a language model"),
    "judge_says": pgettext_noop("audit", "model"),
    "judge_ratings": _("Mean rating by the model: %(mean).2f of %(highest)d (n = %(n)d)."),
    "judge_about": _(
        "Findings by a model fail nothing. Compare them with people's labels before you rely on them."
    ),
    "judge_refused": _("The model refused to answer."),
    "judge_unreadable": _("The answer could not be read."),
    "judge_half_named": _("Provide both --judge-model and --judge-url, and at least 1 for --judge-items."),
    "judge_silent": _("The model assessed no item, so nothing is reported of it."),
    "check": pgettext_noop("audit", "Check"),
    "rule": pgettext_noop("audit", "Rule"),
    "offenders": pgettext_noop("audit", "first: %(items)s. %(fix)s"),
    "rules": pgettext_noop("audit", "right by always choosing: %(rules)s."),
    "sample": pgettext_noop("audit", "n = %(n)d drawn from %(of)d, the same each time"),
    "past": pgettext_noop("audit", "warning above %(threshold)s"),
    "title": pgettext_noop("audit", "Audit of %(items)d items"),
    "about": _(
        "%(errors)d failed, %(warnings)d warnings. A test warns if its p-value times"
        " the number of all tests of the run is below 0.002; it fails if, in addition,"
        " the lower end of its 95 %% interval is at least 5 points above chance."
    ),
    "gate": pgettext_noop("audit", "Gate"),
    "task": pgettext_noop("audit", "Task"),
    "verdict": pgettext_noop("audit", "Verdict"),
    "figure": pgettext_noop("audit", "Figure"),
    "why": pgettext_noop("audit", "Why it matters"),
    "fix": pgettext_noop("audit", "How to fix it"),
    "worst": pgettext_noop("audit", "Items to check first"),
    "lengths": pgettext_noop("audit", "Length of the key"),
    "lengths_about": _("How many keys are the longest option of their item, the second longest, and so on."),
    "positions": pgettext_noop("audit", "Position of the key"),
    "positions_about": _("How many keys are at each letter."),
    "types": pgettext_noop("audit", "Commonsense types"),
    "types_about": _("Items of each type; an item of two types counts in both."),
    "phrases": pgettext_noop("audit", "Phrases that give keys away"),
    "phrases_about": _("Share of keys with a phrase (filled) and of distractors with it (open)."),
    "no_phrases": _("None."),
    "similarity": pgettext_noop("audit", "Near-duplicate items"),
    "similarity_about": _("Pairs of items whose stem and options share at least half of their text."),
    "none": pgettext_noop("audit", "none"),
    "keys": pgettext_noop("audit", "keys"),
    "share": pgettext_noop("audit", "share"),
    "items": pgettext_noop("audit", "items"),
    "pairs": pgettext_noop("audit", "pairs"),
    "wright_map": _("Item difficulties and examinee abilities on one scale"),
    "part": pgettext_noop("audit", "Part %(n)d"),
    "wright": _("Item difficulties (bars) and examinee abilities (dots) on one scale"),
    "test_information": _("Precision of the whole set at each ability (information)"),
    "item_curve": _("Probability of a correct answer by ability; dots are examinees"),
    "item_curves": _("Probability of a correct answer by ability: the items with the lowest discrimination"),
    "ability": pgettext_noop("calibrate", "Ability"),
    "difficulty": pgettext_noop("calibrate", "Difficulty"),
    "ability_difficulty": pgettext_noop("calibrate", "Ability, difficulty"),
    "examinees": pgettext_noop("calibrate", "examinees"),
    "social": pgettext_noop("audit", "social"),
    "biological": pgettext_noop("audit", "biological"),
    "temporal": pgettext_noop("audit", "temporal"),
    "spatial": pgettext_noop("audit", "spatial"),
    "physical": pgettext_noop("audit", "physical"),
    "no_kind": _("This file has no answers of a kind that can be scored; name the kind with --kind."),
    "one_graded": _("Grades belong to the reasons of one file; score each file with its grades."),
    "kinds_apart": _("Check files of items and files of other kinds separately."),
    "kinds_unreported": _("Reports are for items with options; leave out --report."),
    "kinds_found": _("Records: %(items)d. Errors: %(errors)d. Warnings: %(warnings)d."),
    "kinds_error": pgettext_noop("kinds", "error"),
    "kinds_warning": pgettext_noop("kinds", "warning"),
    "kinds_model": pgettext_noop("kinds", "File"),
    "kinds_measure": pgettext_noop("kinds", "Figure"),
    "kinds_n": pgettext_noop("kinds", "Texts"),
    "kinds_answered": pgettext_noop("kinds", "Answered"),
    "kinds_avg_precision": pgettext_noop("kinds", "Precision"),
    "kinds_avg_recall": pgettext_noop("kinds", "Recall"),
    "kinds_macro_f1": pgettext_noop("kinds", "F1 (mean of texts)"),
    "kinds_micro_f1": pgettext_noop("kinds", "F1 of the averages"),
    "kinds_correct": pgettext_noop("kinds", "Correct"),
    "kinds_accuracy": pgettext_noop("kinds", "Accuracy"),
    "kinds_score": pgettext_noop("kinds", "Score"),
    "train": pgettext_noop("audit", "train"),
    "dev": pgettext_noop("audit", "dev"),
    "test": pgettext_noop("audit", "test"),
}


def sentence(code: str, language: str) -> str:
    """Return the sentence of a code in this language, or the code itself if it is unknown."""
    return translate(_SENTENCES[code], language) if code in _SENTENCES else code


def unwritable(folder: Path, error: OSError, language: str) -> int:
    """Print that a folder cannot be written, and why; return the exit code `UNUSABLE`."""
    details = {"folder": folder, "reason": error.strerror or str(error)}
    print(sentence("unwritable", language) % details, file=sys.stderr)
    return UNUSABLE


def check_sentence(finding: Finding, language: str) -> str:
    """Return the sentence of a finding of a single-item check."""
    return translate(CHECKS[finding.check].says, language) % finding.params


def sentence_of(error: RowError, language: str) -> str:
    """Return the sentence of an error or remark about a file, without the names of file and row."""
    return error_message(error, partial(translate, language=language))
