"""Sentences of the data card since layout 3, by name. The other sentences are in `words`."""

# Names tasks: words of layouts with which releases were built; others go by code.

from collections.abc import Mapping
from typing import Final

from parable.sentences import pgettext_noop

WORDS: Final[Mapping[str, str]] = {
    "content": pgettext_noop(
        "data card 3",
        "Contents",
    ),
    "task": pgettext_noop(
        "data card 3",
        "Task",
    ),
    "sum": pgettext_noop(
        "data card 3",
        "total",
    ),
    "commonsense": pgettext_noop(
        "data card 3",
        "commonsense",
    ),
    "moral": pgettext_noop(
        "data card 3",
        "moral",
    ),
    "only_kinds": pgettext_noop(
        "data card 3",
        "Contains only these verified items: {kinds}.",
    ),
    "only_rated": pgettext_noop(
        "data card 3",
        "Contains only items whose last rated revision got at least {rating} from every reviewer;"
        " items without ratings are left out.",
    ),
    "by_story": pgettext_noop(
        "data card 3",
        "Split by story: all items of a story are in dev, or all in test. Share of dev: {share}"
        " planned, {got} actual.",
    ),
    "by_item": pgettext_noop(
        "data card 3",
        "Split by item: {shared} of {test} test items share their story with a dev item, so the test"
        " also tests memory of dev. In the CRMUS files the field `domain` of a dev item states whether"
        " its story is in the test as well. Share of dev: {share} planned, {got} actual.",
    ),
    "mixed": pgettext_noop(
        "data card 3",
        "{out} stories are in dev only, {both} in dev and test: {shared} of {test} test items share"
        " their story with a dev item. In the CRMUS files the field `domain` of a dev item is `out` or"
        " `in`. Share of dev: {share} planned, {got} actual.",
    ),
    "dev_items": pgettext_noop(
        "data card 3",
        "Number of dev items set by task: {counts}.",
    ),
    "keys_even": pgettext_noop(
        "data card 3",
        "In each task, split and number of options, the key is at each position equally often, within"
        " one item. Its position and the order of the distractors were drawn at random; the writers'"
        " order is not in these files.",
    ),
    "keys_in_order": pgettext_noop(
        "data card 3",
        "The options of {items} items are numbers, sorted from the smallest up, which determines"
        " where their keys are; these items are not counted above.",
    ),
    "keys_kept": pgettext_noop(
        "data card 3",
        "The position of the key and the order of the distractors were drawn at random; the writers'"
        " order is not in these files. Items kept from {version} keep their option positions, so"
        " within a task, split and number of options the counts per position may differ by up to:"
        " {apart}.",
    ),
    "making": pgettext_noop(
        "data card 3",
        "Construction",
    ),
    "writers": pgettext_noop(
        "data card 3",
        "Item writers in Parable: {writers}.",
    ),
    "named_writers": pgettext_noop(
        "data card 3",
        "Writers named in imported files: {named_writers}.",
    ),
    "judged_here": pgettext_noop(
        "data card 3",
        "{judged_here} items were answered blind, reviewed and verified in Parable by people who"
        " wrote no revision of them (reviewers: {reviewers}, verifiers: {verifiers}).",
    ),
    "brought_verified": pgettext_noop(
        "data card 3",
        "{brought_verified} items were imported as verified; Parable has no record of their review.",
    ),
    "reviewer_may_verify": pgettext_noop(
        "data card 3",
        "In this project a reviewer of an item may also verify it.",
    ),
    "machine_made": pgettext_noop(
        "data card 3",
        "{machine} items have options drafted by language models and selected and edited by people:"
        " {generators}.",
    ),
    "machine_unnamed": pgettext_noop(
        "data card 3",
        "{machine} items have options drafted by language models and selected and edited by people."
        " The models are not recorded.",
    ),
    "older_wording": pgettext_noop(
        "data card 3",
        "{older_wording} items were reviewed on an earlier revision of their story.",
    ),
    "gates_about": pgettext_noop(
        "data card 3",
        "Checks that the set had to pass before its release.",
    ),
    "range": pgettext_noop(
        "data card 3",
        "95 % interval",
    ),
    "warning": pgettext_noop(
        "data card 3",
        "warning",
    ),
    "error": pgettext_noop(
        "data card 3",
        "failed, overridden",
    ),
    "allowed": pgettext_noop(
        "data card 3",
        "A manager overrode these gates: {gates}. Reason: {reason}",
    ),
    "licence": pgettext_noop(
        "data card 3",
        "Licence and rights",
    ),
    "items_licence": pgettext_noop(
        "data card 3",
        "Licence of the items: {licence}.",
    ),
    "items_unlicensed": pgettext_noop(
        "data card 3",
        "The licence of the items is not stated. Ask before using them.",
    ),
    "unknown": pgettext_noop(
        "data card 3",
        "unknown",
    ),
    "limit_crmus": pgettext_noop(
        "data card 3",
        "The CRMUS files have fixed fields: no style, explanation or canary.",
    ),
    "since": pgettext_noop(
        "data card 3",
        "Changes since {version}",
    ),
    "since_about": pgettext_noop(
        "data card 3",
        "This release extends {version}: kept items keep their ID, split and option positions. {same}"
        " unchanged, {mended} fixed, {retired} retired, {held_back} excluded, {returned} restored,"
        " {added} new.",
    ),
    "erratum_change": pgettext_noop(
        "data card 3",
        "Change",
    ),
    "change_mended": pgettext_noop(
        "data card 3",
        "fixed",
    ),
    "change_held_back": pgettext_noop(
        "data card 3",
        "excluded",
    ),
    "change_returned": pgettext_noop(
        "data card 3",
        "restored",
    ),
    "errata_about": pgettext_noop(
        "data card 3",
        "`errata.jsonl` lists these changes and those of earlier versions, one JSON object per line."
        " Compare figures of different versions on the items that are unchanged in both.",
    ),
    "errors": pgettext_noop(
        "data card 3",
        "Error reports",
    ),
    "contact": pgettext_noop(
        "data card 3",
        "Report errors to {contact}, with the item ID, the version ({version}) and the canary.",
    ),
    "file_jsonl": pgettext_noop(
        "data card 3",
        "`dev/*.jsonl`, `test/*.jsonl`: one JSON object per line, UTF-8. `answer` is the index of the"
        " key in `choices`, from 0; -1 where it is withheld.",
    ),
    "file_crmus": pgettext_noop(
        "data card 3",
        "`crmus/`: the same items in the format of the CRMUS data set.",
    ),
    "file_sums": pgettext_noop(
        "data card 3",
        "`SHA256SUMS`: verify with `sha256sum -c SHA256SUMS`. Only `MANIFEST.json` contains a date.",
    ),
    "canary_about": pgettext_noop(
        "data card 3",
        "Benchmark data should never appear in the training data of a model. Canary GUID: `{canary}`",
    ),
    "anonymous_about": pgettext_noop(
        "data card 3",
        "The authors are anonymous for now.",
    ),
    "loading": pgettext_noop(
        "data card 3",
        "How to load",
    ),
    "loading_about": pgettext_noop(
        "data card 3",
        "In this folder; `all` contains both tasks, and each task is a configuration of its own.",
    ),
    "several_types": pgettext_noop(
        "data card 3",
        "{count} of {items} items have more than one type.",
    ),
    "items_a_story": pgettext_noop(
        "data card 3",
        "Items per story",
    ),
    "keys": pgettext_noop(
        "data card 3",
        "Positions of the key",
    ),
    "split": pgettext_noop(
        "data card 3",
        "Split",
    ),
    "measured": pgettext_noop(
        "data card 3",
        "Human accuracy and agreement",
    ),
    "measured_about": pgettext_noop(
        "data card 3",
        "Reviewers answer before they see the key. The figures cover the whole project, including"
        " rejected items; verification is left out, since it sees passed items only. 95 % intervals"
        " are bootstrapped by story.",
    ),
    "unmeasured": pgettext_noop(
        "data card 3",
        "No one has answered items of this project blind in Parable, so human accuracy and agreement"
        " are unknown.",
    ),
    "accuracy": pgettext_noop(
        "data card 3",
        "Correct",
    ),
    "twice": pgettext_noop(
        "data card 3",
        "Items rated twice",
    ),
    "load_about": pgettext_noop(
        "data card 3",
        "Work in Parable on the whole project before the build, including rejected items. Pauses of"
        " more than two minutes are left out.",
    ),
    "load_item_minutes": pgettext_noop(
        "data card 3",
        "Median minutes per item",
    ),
    "load_review_minutes": pgettext_noop(
        "data card 3",
        "Median minutes per review",
    ),
    "rate_review": pgettext_noop(
        "data card 3",
        "{rate} per review",
    ),
    "limit_accuracy": pgettext_noop(
        "data card 3",
        "The keys were set and checked by people, who make mistakes: see the figures above.",
    ),
    "limit_keys": pgettext_noop(
        "data card 3",
        "The keys were set and checked by people, who make mistakes.",
    ),
    "limit_sources": pgettext_noop(
        "data card 3",
        "The stories may already be in the training data of a model; the items should not be.",
    ),
    "file_answers": pgettext_noop(
        "data card 3",
        "`score.py`: scores responses of models; requires Python only: `python3 score.py RESPONSES`.",
    ),
    "file_harness": pgettext_noop(
        "data card 3",
        "`harness/`: configurations for lm-evaluation-harness, Inspect and OpenCompass, each with its"
        " command in its first lines.",
    ),
    "file_instruction": pgettext_noop(
        "data card 3",
        "`instruction/`: the dev items as examples for fine-tuning, in Alpaca and chat format.",
    ),
    "file_croissant": pgettext_noop(
        "data card 3",
        "`croissant.json`: Croissant metadata, with the fields of responsible AI.",
    ),
    "rai_collection": pgettext_noop(
        "data card 3",
        "People wrote the items about stories from outside sources; other people answered each item"
        " blind and reviewed it, and another person verified it.",
    ),
    "rai_protocol": pgettext_noop(
        "data card 3",
        "No one reviews an item after writing any revision of it. Reviewers see neither key, author,"
        " style nor moral before they answer; then they rate the item 0, 1 or 2 and name its flaws.",
    ),
    "rai_demographics": pgettext_noop(
        "data card 3",
        "This release records only the number of people, their working time and their pay.",
    ),
    "rai_uses": pgettext_noop(
        "data card 3",
        "Evaluating how well models understand stories. Not for training; only the dev split may be"
        " used for examples and fine-tuning.",
    ),
    "rai_maintenance": pgettext_noop(
        "data card 3",
        "A release never changes. Items with errors are fixed or retired in a later version, which"
        " lists them.",
    ),
    "rai_biases": pgettext_noop(
        "data card 3",
        "Gates that warned or failed: {gates}.",
    ),
    "rai_no_biases": pgettext_noop(
        "data card 3",
        "No gate warned or failed.",
    ),
    "providers": pgettext_noop(
        "data card 3",
        "Content sent to models before the build",
    ),
    "nothing_sent": pgettext_noop(
        "data card 3",
        "No story, moral or item of this release was sent to a language model before the build.",
    ),
    "sent_about": pgettext_noop(
        "data card 3",
        "Before the build, these models were sent stories, morals or whole items of this release;"
        " their providers may keep what they receive. The moral of a story is the key of its moral"
        " items, in the same or similar words. Consider this when evaluating these models.",
    ),
}
