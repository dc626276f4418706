"""The sentences of the data card, by name.

They are part of the bytes of a release. Only a new layout may have other sentences: if one of these changes,
`tests/release/test_layouts.py` fails. The context in the catalog warns translators.
"""

# Names tasks: words of layouts with which releases were built; others go by code.

from collections.abc import Mapping
from typing import Final

from parable.sentences import pgettext_noop

WORDS: Final[Mapping[str, str]] = {
    "about": pgettext_noop(
        "data card",
        "{items} multiple-choice items about {stories} stories, version {version}.",
    ),
    "empty_description": pgettext_noop("data card", "No description has been written for this set."),
    "content": pgettext_noop("data card", "What is in it"),
    "task": pgettext_noop("data card", "Task"),
    "style": pgettext_noop("data card", "Style"),
    "type": pgettext_noop("data card", "Commonsense type"),
    "dev": pgettext_noop("data card", "dev"),
    "test": pgettext_noop("data card", "test"),
    "all": pgettext_noop("data card", "all"),
    "sum": pgettext_noop("data card", "together"),
    "commonsense": pgettext_noop("data card", "commonsense reasoning"),
    "moral": pgettext_noop("data card", "moral understanding"),
    "human": pgettext_noop("data card", "human"),
    "machine": pgettext_noop("data card", "machine"),
    "only_kinds": pgettext_noop("data card", "It takes only these of the verified items: {kinds}."),
    "only_rated": pgettext_noop(
        "data card",
        "It takes only items to which every reviewer of the wording last rated gave at least {rating}; items"
        " that nobody rated are left out.",
    ),
    "two_types": pgettext_noop("data card", "An item of two types counts in both."),
    "source_ids": pgettext_noop(
        "data card",
        "{count} of {items} items came from files with an id: `source_id` in these files, `id` in the CRMUS"
        " layout.",
    ),
    "splits": pgettext_noop("data card", "Dev and test"),
    "by_story": pgettext_noop(
        "data card",
        "Whole stories stand in dev or in test; no story stands in both. Dev was to hold {share} of the"
        " items and holds {got}.",
    ),
    "by_item": pgettext_noop(
        "data card",
        "Single items were drawn, not stories: {shared} of {test} test items share their story with a dev"
        " item, so the test also measures memory for dev. In the CRMUS layout the field `domain` of a dev"
        " item says whether its story is in the test, too. Dev was to hold {share} of the items and holds"
        " {got}.",
    ),
    "mixed": pgettext_noop(
        "data card",
        "{out} stories stand in dev alone and {both} in dev and test: {shared} of {test} test items share"
        " their story with a dev item. In the CRMUS layout the field `domain` of a dev item says `out` or"
        " `in`. Dev was to hold {share} of the items and holds {got}.",
    ),
    "dev_items": pgettext_noop("data card", "Numbers of dev items were set by task: {counts}."),
    "keys_even": pgettext_noop(
        "data card",
        "In each task, split and number of options the key stands at every position equally often, give or"
        " take one item. Its position and the order of the wrong options were drawn; the writers' order is"
        " not in these files.",
    ),
    "keys_in_order": pgettext_noop(
        "data card",
        "The options of {items} items are numbers and stand in the order of their size, from the smallest"
        " up. Where their keys stand follows from that; these items are no part of the counts above.",
    ),
    "keys_kept": pgettext_noop(
        "data card",
        "The key's position and the order of the wrong options were drawn; the writers' order is not in"
        " these files. Items kept from {version} keep the places of their options, so in a task, split and"
        " number of options the counts of keys over the positions may differ by up to: {apart}.",
    ),
    "seed": pgettext_noop("data card", "The seed was {seed}."),
    "seed_hash": pgettext_noop(
        "data card",
        "The answers of the test are withheld, and so is the seed, of 128 random bits. Its SHA-256 is"
        " `{hash}`.",
    ),
    "making": pgettext_noop("data card", "How it was made"),
    "writers": pgettext_noop("data card", "People who wrote items in Parable: {writers}."),
    "named_writers": pgettext_noop(
        "data card",
        "Names that came with imported files as writers: {named_writers}.",
    ),
    "judged_here": pgettext_noop(
        "data card",
        "{judged_here} items were solved before their key was shown, judged, and confirmed in Parable, by"
        " people who had written no wording of them ({reviewers} reviewers, {verifiers} verifiers).",
    ),
    "brought_verified": pgettext_noop(
        "data card",
        "{brought_verified} items came in from files, already marked as verified. Parable has not seen how"
        " they were judged.",
    ),
    "reviewer_may_verify": pgettext_noop(
        "data card",
        "In this project a reviewer of an item may also have verified it.",
    ),
    "machine_made": pgettext_noop(
        "data card",
        "{machine} items have options that language models proposed and people chose and reworded:"
        " {generators}.",
    ),
    "machine_unnamed": pgettext_noop(
        "data card",
        "{machine} items have options that language models proposed and people chose and reworded. The"
        " models are not recorded.",
    ),
    "older_wording": pgettext_noop(
        "data card",
        "{older_wording} items were judged on an earlier wording of their story.",
    ),
    "gates": pgettext_noop("data card", "Gates"),
    "gates_about": pgettext_noop("data card", "What the set had to pass before it went out."),
    "gate": pgettext_noop("data card", "Gate"),
    "verdict": pgettext_noop("data card", "Verdict"),
    "figure": pgettext_noop("data card", "Figure"),
    "range": pgettext_noop("data card", "95 % interval"),
    "from_to": pgettext_noop("data card", "{low} to {high}"),
    "threshold": pgettext_noop("data card", "Threshold"),
    "ok": pgettext_noop("data card", "passed"),
    "warning": pgettext_noop("data card", "warning"),
    "error": pgettext_noop("data card", "not passed, allowed"),
    "not_applicable": pgettext_noop("data card", "not applicable"),
    "allowed": pgettext_noop(
        "data card",
        "A manager let these gates pass: {gates}. The reason given: {reason}",
    ),
    "licence": pgettext_noop("data card", "Licence and rights"),
    "items_licence": pgettext_noop("data card", "The items: {licence}."),
    "items_unlicensed": pgettext_noop(
        "data card",
        "No licence of the items has been stated. Ask before you use them.",
    ),
    "rights": pgettext_noop("data card", "Rights of the story"),
    "stories": pgettext_noop("data card", "Stories"),
    "unknown": pgettext_noop("data card", "unknown"),
    "limits": pgettext_noop("data card", "Limits"),
    "limit_withheld": pgettext_noop("data card", "The answers of the test are not in these files."),
    "limit_crmus": pgettext_noop(
        "data card",
        "The CRMUS layout has fixed fields, so its files carry neither style nor explanation nor canary.",
    ),
    "since": pgettext_noop("data card", "What has changed since {version}"),
    "since_about": pgettext_noop(
        "data card",
        "This release extends {version}: items that stay keep their id, their split and the places of their"
        " options. {same} are as they were, {mended} were mended, {retired} retired, {held_back} are being"
        " looked at again, {returned} came back, {added} are new.",
    ),
    "erratum_id": pgettext_noop("data card", "Item"),
    "erratum_change": pgettext_noop("data card", "What happened"),
    "erratum_fields": pgettext_noop("data card", "Fields"),
    "erratum_note": pgettext_noop("data card", "Note"),
    "change_mended": pgettext_noop("data card", "mended"),
    "change_retired": pgettext_noop("data card", "retired"),
    "change_held_back": pgettext_noop("data card", "being looked at again"),
    "change_returned": pgettext_noop("data card", "came back"),
    "errata_about": pgettext_noop(
        "data card",
        "`errata.jsonl` lists these changes and those of the versions before, one JSON object a line."
        " Figures of different versions are compared on the items that both hold unchanged.",
    ),
    "errors": pgettext_noop("data card", "Errors"),
    "contact": pgettext_noop(
        "data card",
        "Whoever finds an error is asked to report it to {contact}, with the id of the item, the version"
        " ({version}) and the canary.",
    ),
    "files": pgettext_noop("data card", "Files"),
    "file_jsonl": pgettext_noop(
        "data card",
        "`dev/*.jsonl`, `test/*.jsonl`: one JSON object a line, UTF-8. `answer` is the position of the key"
        " in `choices`, counted from 0; -1 where it is withheld.",
    ),
    "file_crmus": pgettext_noop("data card", "`crmus/`: the same items in the layout of the CRMUS data set."),
    "file_sums": pgettext_noop(
        "data card",
        "`SHA256SUMS`: check with `sha256sum -c SHA256SUMS`. `MANIFEST.json` alone holds a date.",
    ),
    "canary": pgettext_noop("data card", "Canary"),
    "canary_about": pgettext_noop(
        "data card",
        "This is benchmark data. It should never stand in the training data of a model. Canary GUID:"
        " `{canary}`",
    ),
    "comma": pgettext_noop("data card", ", "),
    "anonymous_title": pgettext_noop("data card", "Multiple-choice items about stories"),
    "anonymous_about": pgettext_noop("data card", "Who made this set is not said for now."),
    "loading": pgettext_noop("data card", "Load it"),
    "loading_about": pgettext_noop(
        "data card",
        "In this folder; `all` holds both tasks, and each task is a configuration of its own.",
    ),
    "written": pgettext_noop("data card", "Items written: {written}. In this release: {released}."),
    "written_one": pgettext_noop("data card", "{task}: {count}"),
    "several_types": pgettext_noop("data card", "{count} of {items} items carry more than one type."),
    "story_table": pgettext_noop("data card", "Items by story"),
    "items": pgettext_noop("data card", "Items"),
    "items_a_story": pgettext_noop("data card", "Items a story"),
    "lengths": pgettext_noop("data card", "Mean length in characters"),
    "lengths_dev": pgettext_noop(
        "data card",
        "Mean length in characters (dev only, since test answers are withheld)",
    ),
    "story_length": pgettext_noop("data card", "Story"),
    "stem_length": pgettext_noop("data card", "Stem"),
    "key_length": pgettext_noop("data card", "Key"),
    "other_length": pgettext_noop("data card", "Other options"),
    "keys": pgettext_noop("data card", "Places of the key"),
    "split": pgettext_noop("data card", "Split"),
    "measured": pgettext_noop("data card", "People's answers"),
    "measured_about": pgettext_noop(
        "data card",
        "In cross-check people answer before they see the key. These figures are of the whole project, items"
        " that were turned down included; verification is left out, since it sees survivors only. Intervals"
        " of 95 % are drawn by story.",
    ),
    "unmeasured": pgettext_noop(
        "data card",
        "Nobody has answered items of this project blind in Parable, so human accuracy and agreement are not"
        " known.",
    ),
    "answers": pgettext_noop("data card", "Answers"),
    "accuracy": pgettext_noop("data card", "Right"),
    "twice": pgettext_noop("data card", "Items rated twice"),
    "alpha": pgettext_noop("data card", "Krippendorff's alpha"),
    "ac2": pgettext_noop("data card", "Gwet's AC2"),
    "interval": pgettext_noop("data card", "{value} ({low} to {high})"),
    "load": pgettext_noop("data card", "Work and pay"),
    "load_about": pgettext_noop(
        "data card",
        "Work in Parable on the whole project before this release was built, items that were turned down"
        " included. Pauses of more than two minutes are left out.",
    ),
    "load_people": pgettext_noop("data card", "People"),
    "load_hours": pgettext_noop("data card", "Hours"),
    "load_item_minutes": pgettext_noop("data card", "Minutes an item, median"),
    "load_review_minutes": pgettext_noop("data card", "Minutes a review, median"),
    "load_busiest": pgettext_noop("data card", "Share of the busiest person"),
    "load_paid": pgettext_noop("data card", "Pay in {currency}: {rates}."),
    "rate_item": pgettext_noop("data card", "{rate} per submitted item"),
    "rate_verified": pgettext_noop("data card", "{rate} per verified item"),
    "rate_review": pgettext_noop("data card", "{rate} per review"),
    "rate_hour": pgettext_noop("data card", "{rate} per hour"),
    "provider": pgettext_noop("data card", "Model"),
    "host": pgettext_noop("data card", "Server"),
    "limit_accuracy": pgettext_noop(
        "data card",
        "The keys were set and checked by people, and people err: see the figures above.",
    ),
    "limit_keys": pgettext_noop("data card", "The keys were set and checked by people, and people err."),
    "limit_sources": pgettext_noop(
        "data card",
        "The stories may stand in the training data of a model already; the items should not.",
    ),
    "file_answers": pgettext_noop(
        "data card",
        "`score.py`: scores answers of models, with Python alone: `python3 score.py RESPONSES`.",
    ),
    "file_harness": pgettext_noop(
        "data card",
        "`harness/`: ready tasks for lm-evaluation-harness, Inspect and OpenCompass, each with its command"
        " in its first lines.",
    ),
    "file_instruction": pgettext_noop(
        "data card",
        "`instruction/`: the dev items as examples for fine-tuning, in Alpaca and in chat shape.",
    ),
    "file_croissant": pgettext_noop(
        "data card",
        "`croissant.json`: the same as Croissant metadata, with its fields of responsible AI.",
    ),
    "rai_collection": pgettext_noop(
        "data card",
        "People wrote the items about stories that were brought in from outside; other people solved each"
        " item before its key was shown, judged it, and a further person confirmed it.",
    ),
    "rai_protocol": pgettext_noop(
        "data card",
        "Nobody judges an item after writing any wording of it. Reviewers see neither key, author, style nor"
        " moral before they answer; then they rate the item 0, 1 or 2 and name its flaws.",
    ),
    "rai_demographics": pgettext_noop(
        "data card",
        "Nothing about the people is recorded in this release but how many there were, how long they worked"
        " and at what pay.",
    ),
    "rai_personal": pgettext_noop(
        "data card",
        "None: the stories are fiction, and people are counted, not named.",
    ),
    "rai_uses": pgettext_noop(
        "data card",
        "Measuring how well models understand stories. Not for training: the dev split alone may be used for"
        " examples and for fine-tuning.",
    ),
    "rai_maintenance": pgettext_noop(
        "data card",
        "A release never changes. Errors that are found are mended or retired in a later version, which says"
        " so item by item.",
    ),
    "rai_biases": pgettext_noop("data card", "Gates that spoke: {gates}."),
    "rai_no_biases": pgettext_noop("data card", "No gate spoke."),
    "providers": pgettext_noop("data card", "What models were sent before"),
    "nothing_sent": pgettext_noop(
        "data card",
        "No language model was sent a story, a moral or an item of this release before it was built.",
    ),
    "sent_about": pgettext_noop(
        "data card",
        "Before this release was built, these models were sent stories, morals or whole"
        " items of it, whose makers may keep what they are sent. The moral of a story is the key of its"
        " moral items, in the same or other words. Measure these models with that in mind.",
    ),
    "sent_stories": pgettext_noop("data card, sent to models", "Stories"),
    "sent_morals": pgettext_noop("data card, sent to models", "Morals"),
    "sent_items": pgettext_noop("data card, sent to models", "Whole items"),
}
