"""`evaluate RELEASE_DIR`: a model answers a release in a folder, without a project or server.

The command may be interrupted and started again: it skips questions that are already answered.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from parable.commands.answer_file import AnswerFile, Given, Place, UnusableFileError
from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.questions import AskingResult, Question, ask_all
from parable.commands.tables import print_tables
from parable.commands.wording import sentence_of
from parable.extras import require
from parable.formats.records import ItemRecord, released
from parable.formats.release_folder import ReleaseFolder, read_release_folder
from parable.kinds import kind_of
from parable.llm import conditions, errors, presentation
from parable.llm.client import RESERVED_PARAMETERS, EndpointSpec
from parable.llm.conditions import find_condition
from parable.llm.errors import AddressRefused
from parable.llm.replies import Answer
from parable.reading.answers import REFUSED
from parable.reading.partial_inputs import OTHER_STORY, WHOLE, other_stories, partial_item, stories_in
from parable.reading.question import missing_variables, zero_shot

INCOMPLETE: Final = 1
REFUSALS: Final = ("content_filter", "model_declined")
BROKEN_OFF: Final = 130
MOST_PARALLEL: Final = 256
SAY_EVERY: Final = 100
SENTENCES: Final[Mapping[str, str]] = {
    **errors.SENTENCES,
    "timed_out": "No complete answer came in time; --timeout allows more.",
    "rate_limited": "The server wants fewer calls; --parallel asks for fewer at once.",
    "key_wanted": "The server requires an API key; set the environment variable that --key-variable names.",
    "key_in_the_clear": "The key would cross the network unencrypted and was not sent: use an https:// URL,"
    " or name a variable that is not set with --key-variable.",
    "quota_exceeded": "The quota is used up: that of a minute, which waiting did not heal, or that of"
    " the account. --parallel asks for fewer at once.",
    "bad_request": "The server does not take the request as it is. Check --parameters.",
}
"""Sentences for all failures of a question; they name the option of the command that helps, if any."""


class Refusal(Exception):
    """Raised if the command's options cannot be carried out; the message gives the reason."""


def run(options: argparse.Namespace) -> int:
    """Ask unanswered questions and print tables; return 0 if all are answered, 1 if not, 2 on bad input."""
    require("models")
    try:
        _take_condition(options)
        folder = _folder(options)
        questions = list(_questions(folder, options))
        with _answer_file(folder, options) as file:
            asked = _ask(file, questions, options)
            given = file.of_places([_place(one) for one in questions])
    except (Refusal, UnusableFileError) as error:
        print(error, file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print("Broken off; what was answered is kept. The same command goes on.", file=sys.stderr)
        return BROKEN_OFF
    return _end(folder, asked, given, questions, options)


def _end(
    folder: ReleaseFolder,
    asked: AskingResult,
    given: Sequence[Given],
    questions: Sequence[Question],
    options: argparse.Namespace,
) -> int:
    """Print a summary, and tables for the items with known keys; return the exit code."""
    print(f"{len(given)} of {len(questions)} answered: {_out(options)}")
    refused = sum(one.outcome == REFUSED for one in given)
    if refused and (words := next((asked.words[code] for code in REFUSALS if code in asked.words), "")):
        print(f"{refused} refused. The server says: {words}", file=sys.stderr)
    for code, count in sorted(asked.failed.items()):
        words = asked.words.get(code, "")
        quoted = f" The server says: {words}" if words else ""
        print(f"{count} × {SENTENCES.get(code, code)}{quoted}", file=sys.stderr)
    if (error := asked.stopped_by) is not None:
        reason = f" The server says: {error.reason}" if error.reason else ""
        print(f"Stopped: {SENTENCES.get(error.code, error.code)}{reason}", file=sys.stderr)
    if isinstance(asked.stopped_by, AddressRefused):
        return UNUSABLE
    tokens = _tokens(asked)
    if tokens:
        said = "Tokens that the server counted: {prompt} of prompts, {completion} of answers".format(**tokens)
        more = ", and {lost} that brought no answer (refused, or broken off and asked again)".format(**tokens)
        print(said + (more if tokens["lost"] else "") + ".")
    withheld = set(folder.withheld)
    if withheld:
        print(f"{len(withheld)} items have no key here; --answers FILE scores them too.", file=sys.stderr)
    known = [one for one in questions if one.item not in withheld]
    places = [_place(one) for one in known]
    tables = print_tables(folder.items, options.model, places, given, rule=options.rule)
    if options.as_json:
        print_json(tables | ({"tokens": tokens} if tokens else {}))
    return DONE if len(given) == len(questions) else INCOMPLETE


def _tokens(asked: AskingResult) -> dict[str, int]:
    """Return the numbers of tokens that this run used; {} if the server reports none."""
    counts = {
        "prompt": asked.tokens.prompt,
        "completion": asked.tokens.completion,
        "lost": asked.lost_tokens.total,
    }
    return counts if any(counts.values()) else {}


def _place(question: Question) -> Place:
    return question.item, question.repeat, question.rotation


def _take_condition(options: argparse.Namespace) -> None:
    """Apply the options of the named condition, or the defaults.

    Raise Refusal if an option that the condition sets is also given.
    """
    condition = find_condition(options.condition or "")
    if condition is not None:
        for name in ("prompt", "repeats", "order"):
            if getattr(options, name) is not None:
                raise Refusal(f"--condition {condition.id} sets --{name}: leave one of the two out.")
        options.repeats, options.order = condition.repeats, condition.order
    options.repeats = options.repeats or 1
    options.order = options.order or conditions.RELEASED


def _folder(options: argparse.Namespace) -> ReleaseFolder:
    folder = read_release_folder(options.release, answers=options.answers)
    if folder.errors:
        raise Refusal(
            "\n".join(
                f"{one.file}, line {one.row}, {one.field}: {sentence_of(one, 'en')}" for one in folder.errors
            )
        )
    if not folder.of_split(options.split):
        raise Refusal(f"{options.release}: there are no items in this split.")
    return folder


def _questions(folder: ReleaseFolder, options: argparse.Namespace) -> Iterator[Question]:
    """Yield the questions repeat by repeat, so that an interrupted run has complete repeats."""
    items = folder.of_split(options.split)[: options.limit]
    templates = _templates(items, options)
    probe = _partial_input(options)
    others = other_stories(stories_in([released(one) for one in folder.items]), options.seed)
    if probe == OTHER_STORY and not others:
        raise Refusal(f"{options.release}: there is one story only, and no other to put in its place.")
    for repeat in range(1, options.repeats + 1):
        for item in items:
            orders = presentation.orders_of(
                len(item.choices), options.order, seed=options.seed, item=item.id, repeat=repeat
            )
            for rotation, order in enumerate(orders):
                question = kind_of(item.task).question
                own = templates[item.language]
                template = own if question.is_one_option else question.template(item.language)
                prompt = question.put(template, partial_item(probe, released(item), others), order)
                yield Question(item.id, repeat, rotation, order, prompt)


def _templates(items: Iterable[ItemRecord], options: argparse.Namespace) -> Mapping[str, str]:
    """Return the prompt template by language: from the condition, the file, or else the zero-shot prompt.

    Raise Refusal if the file cannot be used.
    """
    languages = {item.language for item in items}
    if condition := find_condition(options.condition or ""):
        return dict.fromkeys(languages, condition.prompt)
    if options.prompt is None:
        return {language: zero_shot(language) for language in languages}
    try:
        text = options.prompt.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Refusal(f"{options.prompt}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{options.prompt}: is not UTF-8 text (byte {error.start}).") from error
    if missing_variables(text, ("{question}", "{options}")):
        raise Refusal(f"{options.prompt}: a prompt needs {{question}} and {{options}}.")
    return dict.fromkeys(languages, text)


def _answer_file(folder: ReleaseFolder, options: argparse.Namespace) -> AnswerFile:
    settings = {
        "release": folder.name,
        "version": folder.version,
        "model": options.model,
        "base_url": options.base_url,
        "order": options.order,
        "seed": options.seed,
        "prompts": _templates(folder.items, options),
        "parameters": _parameters(options),
    }
    if probe := _partial_input(options):
        settings["probe"] = probe
    return AnswerFile(_out(options), model=options.model, settings=settings)


def _out(options: argparse.Namespace) -> Path:
    if options.out is not None:
        return Path(options.out)
    words = f"responses-{options.release.resolve().name}-{options.model}"
    words += f"-{options.probe}" if options.probe else ""
    return Path(re.sub(r"[^\w.-]+", "-", words) + ".jsonl")


def _partial_input(options: argparse.Namespace) -> str:
    return (options.probe or WHOLE).replace("-", "_")


def _parameters(options: argparse.Namespace) -> dict[str, object]:
    try:
        found = json.loads(options.parameters)
        json.dumps(found, allow_nan=False)  # Python reads NaN and 1e999, no server does
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refusal('--parameters must be a JSON object, such as {"temperature": 0}.')
    if clash := sorted(RESERVED_PARAMETERS & found.keys()):
        raise Refusal(f"--parameters must not set {', '.join(clash)}.")
    return found


def _ask(file: AnswerFile, questions: Sequence[Question], options: argparse.Namespace) -> AskingResult:
    missing = [one for one in questions if _place(one) not in file.given]
    print(f"{len(questions)} questions, {len(questions) - len(missing)} answered before")
    if not missing:
        return AskingResult()
    spec = EndpointSpec(
        base_url=options.base_url,
        model=options.model,
        api_key=os.environ.get(options.key_variable, ""),
        parameters=_parameters(options),
        allow_private=True,  # users of a command can reach the address anyway
    )
    done = 0

    def keep(question: Question, answer: Answer | None) -> None:
        nonlocal done
        outcome, text = (REFUSED, "") if answer is None else ("", answer.text)
        served = {} if answer is None else answer.served
        place = question.item, question.repeat, question.rotation
        file.add(Given(*place, question.order, text, outcome, served))
        done += 1
        if done % SAY_EVERY == 0:
            print(f"{done} of {len(missing)}", file=sys.stderr)

    parallel = min(options.parallel, MOST_PARALLEL)
    return ask_all(spec, missing, parallel=parallel, timeout=options.timeout, keep=keep)
