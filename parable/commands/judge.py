"""`audit --judge-model`: judgements of items by a language model, in addition to the checks."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from parable.commands.questions import ask_all
from parable.commands.wording import sentence
from parable.formats.records import ItemRecord
from parable.llm import errors
from parable.llm.client import EndpointSpec
from parable.llm.errors import LlmError
from parable.llm.replies import Answer
from parable.quality.item.from_records import keys_and_ranks, language_of
from parable.quality.item.rules import CODES, RULE_NAMES
from parable.quality.item.sets import drawn
from parable.quality.judge.prompt import HIGHEST, RULE_BY_RULE, WHOLE, Judged, JudgePrompt
from parable.quality.judge.reply import REFUSED, UNREADABLE, read_verdict, read_yes
from parable.sentences import translate

if TYPE_CHECKING:
    from parable.commands.report import Section

PREFIX: Final = "model:"
"""Prefix of the names of a model's findings, which distinguishes them from checks."""
TIMEOUT: Final = 60.0
PARALLEL: Final = 4
SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """A question to the model about one item (by position), and about one rule; "" for all rules."""

    item: int
    rule: str
    prompt: str


@dataclass(slots=True)
class Judgements:
    """A model's judgements of items, by position in `ids`: the rules broken, and the ratings.

    `judged`: the rules that a readable reply was about; `lost`: the number of calls without a judgement, by
    reason.
    """

    model: str
    ids: Sequence[str]
    broken: dict[int, set[str]] = field(default_factory=dict)
    ratings: dict[int, int] = field(default_factory=dict)
    judged: dict[int, set[str]] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    stopped_by: LlmError | None = None

    def found(self) -> dict[str, list[str]]:
        """Return, by rule, the ids of the items that break the rule according to the model."""
        named = {
            rule: [name for index, name in enumerate(self.ids) if rule in self.broken.get(index, ())]
            for rule in CODES
        }
        return {rule: names for rule, names in named.items() if names}

    def as_json(self) -> dict[str, object]:
        """Return a summary as JSON, without the findings, which are listed with those of the checks."""
        return {
            "model": self.model,
            "asked": len(self.ids),
            "judged": len(self.judged),
            "lost": dict(self.lost),
            "ratings": {self.ids[place]: rating for place, rating in sorted(self.ratings.items())},
        }

    def added_to(self, data: Mapping[str, Any]) -> dict[str, object]:
        """Return the JSON object with the model's findings added under names that identify the model."""
        ids = {f"{PREFIX}{rule}": names for rule, names in self.found().items()}
        rules = {f"{PREFIX}{rule}": rule for rule in CODES}
        checks, named = {**data["item_checks"], **ids}, {**data["rules"], **rules}
        return {**data, "item_checks": checks, "rules": named, "judge": self.as_json()}

    def section(self, language: str) -> Section:
        """Return the judgements as a section of the report, separate from the checks."""
        from parable.commands.report import Section, worst

        rows = tuple(f"{label}: {worst(ids)}" for label, ids in rule_rows(self, language))
        about = " ".join((asked_line(self, language), *closing_lines(self, language)))
        nothing = (sentence("none", language),)
        return Section(sentence("judge_findings", language), about, None, rows or nothing)

    def keep(self, question: JudgeQuestion, answer: Answer | None) -> None:
        """Store the judgement in a reply; `answer` is None if the model refused."""
        if answer is None:
            self.lost[REFUSED] += 1
        elif question.rule:
            self._keep_rule(question, answer.text)
        else:
            self._keep_whole(question.item, answer.text)

    def _keep_rule(self, question: JudgeQuestion, text: str) -> None:
        is_broken = read_yes(text)
        if is_broken is None:
            self.lost[UNREADABLE] += 1
            return
        self.judged.setdefault(question.item, set()).add(question.rule)
        if is_broken:
            self.broken.setdefault(question.item, set()).add(question.rule)

    def _keep_whole(self, item: int, text: str) -> None:
        verdict = read_verdict(text, highest=HIGHEST)
        if verdict.outcome:
            self.lost[verdict.outcome] += 1
            return
        self.judged[item] = set(CODES) if verdict.broken is not None else set()
        self.broken[item] = set(verdict.broken or ())
        if verdict.rating is not None:
            self.ratings[item] = verdict.rating


def judgements_for(records: Sequence[ItemRecord], options: argparse.Namespace) -> Judgements:
    """Return the judgements of a seeded sample of items by the model that the options name."""
    spec = EndpointSpec(
        base_url=options.judge_url,
        model=options.judge_model,
        api_key=os.environ.get(options.judge_key_variable, ""),
        parameters={"temperature": 0},
        allow_private=True,  # users of a command can reach the address anyway
    )
    chosen = drawn([one for one in records if one.choices], options.judge_items)
    return judge_items(chosen, spec, RULE_BY_RULE if options.judge_by == "rule" else WHOLE)


def judge_items(
    records: Sequence[ItemRecord],
    spec: EndpointSpec,
    prompt: JudgePrompt,
    *,
    rules: Sequence[Collection[str]] | None = None,
    timeout: float = TIMEOUT,
    parallel: int = PARALLEL,
    goes_on: Callable[[], bool] = lambda: True,
) -> Judgements:
    """Return a model's judgements of items; no more calls are made once `goes_on` returns False.

    `rules`: the rules to ask about for each item, if rules are asked one by one; None for all.
    """
    questions = (
        JudgeQuestion(index, rule, text)
        for index, record in enumerate(records)
        for rule, text in prompt.questions(judged(record), record.language or language_of(record))
        if not rule or rules is None or rule in rules[index]
    )
    found = Judgements(spec.model, [record.id for record in records])
    asked = ask_all(
        spec,
        takewhile(lambda _one: goes_on(), questions),
        parallel=parallel,
        timeout=timeout,
        keep=found.keep,
        schema=prompt.schema(),
    )
    found.lost.update(asked.failed)
    found.stopped_by = asked.stopped_by
    return found


def judged(record: ItemRecord) -> Judged:
    """Return an item of a file in the form that prompts present to the model."""
    keys, _ranks = keys_and_ranks(record)
    return Judged(record.question, record.choices, sorted(keys), record.story)


def judge_lines(found: Judgements, language: str) -> Iterator[str]:
    """Yield the lines of the judgements, with the mean rating."""
    yield asked_line(found, language)
    for label, ids in rule_rows(found, language):
        yield f"{sentence('judge_says', language):>14}  {label}"
        yield " " * 16 + ", ".join(ids[:SHOWN])
    yield from closing_lines(found, language)


def asked_line(found: Judgements, language: str) -> str:
    """Return a sentence that names the model and says how many items it judged."""
    about: dict[str, object] = {"model": found.model, "judged": len(found.judged), "items": len(found.ids)}
    return sentence("judge", language) % about


def rule_rows(found: Judgements, language: str) -> Iterator[tuple[str, list[str]]]:
    """Yield, for each broken rule, its name (marked as the model's) and the ids of the items."""
    for rule, ids in found.found().items():
        yield f"{PREFIX}{rule}: {translate(RULE_NAMES[rule], language)} (n = {len(ids)})", ids


def closing_lines(found: Judgements, language: str) -> Iterator[str]:
    """Yield sentences on the ratings, and on the reliability of the findings."""
    if found.ratings:
        mean = sum(found.ratings.values()) / len(found.ratings)
        details: dict[str, object] = {"n": len(found.ratings), "mean": mean, "highest": HIGHEST}
        yield sentence("judge_ratings", language) % details
    yield sentence("judge_about", language)


def say_lost(found: Judgements, language: str) -> None:
    """Print to standard error, by reason, how many calls gave no judgement."""
    known = {REFUSED: "judge_refused", UNREADABLE: "judge_unreadable"}
    for code, count in sorted(found.lost.items()):
        if code in known:
            message = sentence(known[code], language)
        else:
            message = translate(errors.SENTENCES[code], language) if code in errors.SENTENCES else code
        print(f"{count} × {message}", file=sys.stderr)
