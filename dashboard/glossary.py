"""The glossary: one term for each concept, with its meaning.

The page `/help/glossary` displays the terms. `tests/config/test_words.py` checks that the sentences of the
site use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise, lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from projects.models import Rating


@dataclass(frozen=True, slots=True)
class Term:
    """A term: its code, which is its anchor on the page, its name, and its meaning in one sentence.

    A `strict` term has one Chinese translation, which every sentence with the term uses. A term that is not
    strict has further meanings in English, or Chinese can omit it. Only a message that consists of this term
    alone must use its translation.
    """

    code: str
    name: str | Promise
    meaning: str | Promise
    strict: bool = True


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of the glossary, with its terms."""

    title: str | Promise
    terms: tuple[Term, ...]


_RATINGS: Final = lazy(lambda: str(_(", ")).join(f"{one.value} {one.label}" for one in Rating), str)()

CHAPTERS: Final = (
    Chapter(
        _("Items"),
        (
            Term("story", _("story"), _("A short text, such as a fable, that items ask about.")),
            Term(
                "story-group",
                _("story group"),
                _("Wordings of one story, confirmed by a manager; they count as one story."),
            ),
            Term("moral", _("moral"), _("What a story teaches, in one sentence.")),
            Term("item", _("item"), _("One multiple-choice question about a story."), strict=False),
            Term("task", _("task"), _("What an item tests: common sense or the moral.")),
            Term("stem", _("stem"), _("The question of an item.")),
            Term("option", _("option"), _("One of the answers to choose from."), strict=False),
            Term("key", _("key"), _("The correct option."), strict=False),
            Term("distractor", _("distractor"), _("An incorrect option that looks plausible.")),
            Term("explanation", _("explanation"), _("Why the key is correct and the distractors are not.")),
            Term(
                "commonsense-type",
                _("commonsense type"),
                _("The kind of knowledge a commonsense item asks for, such as social or physical."),
            ),
            Term("style", _("style"), _("Whether people or language models worded the options.")),
            Term(
                "revision",
                _("revision"),
                _("One version of the text of an item or a story; it never changes."),
            ),
            Term("draft", _("draft"), _("An item that has not been submitted yet.")),
            Term(
                "candidate",
                _("candidate"),
                _("An option that a language model proposes and no one has used yet."),
            ),
            Term("prompt", _("prompt"), _("The text sent to a language model.")),
            Term("endpoint", _("endpoint"), _("A language model at an address, with its limits and prices.")),
        ),
    ),
    Chapter(
        _("People and work"),
        (
            Term("item-writer", _("item writer"), _("Writes items about the stories they take.")),
            Term("reviewer", _("reviewer"), _("Answers items of others blind, then reviews them.")),
            Term("verifier", _("verifier"), _("Checks passed items a last time before they are verified.")),
            Term("manager", _("manager"), _("Runs a project: stories, members, settings and releases.")),
            Term("observer", _("observer"), _("Sees all of a project, keys included, and changes nothing.")),
            Term("deputy", _("deputy"), _("A member appointed for an item that no one else can take.")),
            Term("guideline", _("guideline"), _("What a good item is in this project; writers confirm it.")),
            Term(
                "pilot", _("pilot"), _("Several writers write about the same stories to test the guideline.")
            ),
            Term("handover", _("handover"), _("Moves the unfinished work of someone who leaves.")),
            Term("batch", _("batch"), _("One order of candidates: prompts and models over stories.")),
            Term("budget", _("budget"), _("How much the calls to models may cost."), strict=False),
            Term("job", _("job"), _("Work that runs in the background, such as an import or a release.")),
        ),
    ),
    Chapter(
        _("Review"),
        (
            Term(
                "review",
                _("review"),
                _("One person answers an item blind, rates it and gives a verdict."),
                strict=False,
            ),
            Term("blind-answer", _("blind answer"), _("An answer given before the key is shown.")),
            Term(
                "misclick", _("misclick"), _("An answer marked as an accident; it is left out of statistics.")
            ),
            Term(
                "rating",
                _("rating"),
                format_lazy(_("The quality of an item: {ratings}."), ratings=_RATINGS),
            ),
            Term("pass-mark", _("pass mark"), _("The lowest rating with which an item can pass.")),
            Term("verdict", _("verdict"), _("What should happen to an item: pass, edit, return or reject.")),
            Term("flaw", _("flaw"), _("A named fault of an item, such as two correct options.")),
            Term("warning", _("warning"), _("A problem found by a check; explain it or fix it.")),
            Term(
                "verification", _("verification"), _("The last check of a passed item, by someone new to it.")
            ),
            Term("adjudication", _("adjudication"), _("A ruling on an item on which reviewers disagree.")),
            Term(
                "practice-item",
                _("practice item"),
                _("An item with a known verdict, used to train reviewers."),
            ),
            Term(
                "agreement", _("agreement"), _("How closely the ratings of reviewers match, beyond chance.")
            ),
        ),
    ),
    Chapter(
        _("Releases"),
        (
            Term(
                "release",
                _("release"),
                _("A numbered set of verified items that never changes."),
                strict=False,
            ),
            Term(
                "split",
                _("split"),
                _("The part of a release an item belongs to: dev or test, in some also train."),
                strict=False,
            ),
            Term("train", _("train"), _("The split for training, where a release has one."), strict=False),
            Term("dev", _("dev"), _("The split for development, with its keys.")),
            Term("test", _("test"), _("The split for evaluation; its keys may be withheld."), strict=False),
            Term("gate", _("gate"), _("A check that a set of items must pass before its release.")),
            Term(
                "data-card",
                _("data card"),
                _("The document of a release: content, origin, checks and limits."),
            ),
            Term(
                "canary", _("canary"), _("A code in every file that shows whether a model was trained on it.")
            ),
            Term("seed", _("seed"), _("A number that makes random draws repeatable.")),
            Term("error-report", _("error report"), _("A reader's report of an error in a released item.")),
            Term("erratum", _("erratum"), _("A confirmed error of a release; the next version lists it.")),
            Term("team", _("team"), _("An outside group that has responses scored on withheld keys.")),
        ),
    ),
    Chapter(
        _("Evaluation"),
        (
            Term("examinee", _("examinee"), _("A model or a person that answers the items of a release.")),
            Term("run", _("run"), _("One examinee answers one release under fixed settings."), strict=False),
            Term("response", _("response"), _("One answer of an examinee to one item."), strict=False),
            Term("panel", _("panel"), _("People who answer a sample of items they have never seen.")),
            Term("calibration", _("calibration"), _("Estimates the properties of items from responses.")),
            Term("difficulty", _("difficulty"), _("How hard an item is; higher is harder.")),
            Term(
                "discrimination",
                _("discrimination"),
                _("How well an item separates able from less able examinees."),
            ),
            Term("guessing", _("guessing"), _("How often the key is found without ability.")),
            Term("ability", _("ability"), _("How able an examinee is, on the scale of difficulty.")),
        ),
    ),
)
TERMS: Final = tuple(term for chapter in CHAPTERS for term in chapter.terms)
