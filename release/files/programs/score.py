"""Scores the answers of models to the items of this release, with Python 3.10 or newer and this folder alone.

    python3 score.py RESPONSES.jsonl [MORE.jsonl ...] [--split dev|test] [--answers FILE] [--json]

Each line of RESPONSES is {"model", "item_id", "repeat", "text"}, where `text` is what the model said, or
has "choice" in place of `text`: the position of an option, counted from 0, or its letter; where several are
right or an order is asked for, a list of positions, or letters such as "AC"; where items have no options, an
object in the form of `own` in the files. Where the options
were shown in another order than here, `order` lists their positions as they were shown, and `rotation`
distinguishes several such askings of one repeat. What was asked and never answered is `failed`; without
`--split`, the splits of which a model answered anything were asked.
`--answers` names the file of withheld answers, for those who have it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import string
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

CANARY = "@CANARY@"  # benchmark data should never stand in training data
SPLITS = ("train", "dev", "test")


def beside(module: str) -> ModuleType:
    """A module such as `reading.answers` of this folder; each release that is loaded has its own."""
    name = f"{__name__}_modules"
    if name not in sys.modules:
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [str(Path(__file__).resolve().parent)]
    return importlib.import_module(f"{name}.{module}")


def named(place: str) -> Any:
    """What stands in a module under a name: `reading.answers:read_answer`."""
    module, _colon, name = place.partition(":")
    return getattr(beside(module), name)


read_answer, fill_question = named("reading.answers:read_answer"), named("reading.question:fill_question")
is_cut_off, read_cut_off = named("reading.answers:is_cut_off"), named("reading.answers:read_cut_off")
zero_shot, ZERO_SHOT = named("reading.question:zero_shot"), named("reading.question:ZERO_SHOT")
SEVERAL, ORDER, OWN = "several", "order", "own"
TEMPLATES = {
    SEVERAL: named("reading.question:SEVERAL_ANSWERS"),
    ORDER: named("reading.question:RIGHT_ORDER"),
}
READERS = {SEVERAL: named("reading.several:read_several"), ORDER: named("reading.several:read_order")}
ANSWERS = {"@ANSWER@": "several"}  # how items of a task are answered, where that is not by one option


class Judged(NamedTuple):
    """What came of a response, and its score: 1 or 0, or between them where a task gives partial credit."""

    outcome: str
    score: float


# Of tasks without options, and of those that give partial credit: the question, "" where there are options;
# the scorer; the score from which a response is correct; and the name of the mean score, "" if it is 0 or 1.
FORMS: dict[str, Mapping[str, Any]] = {"@KIND@": {}}
QUESTIONS = {task: named(form["question"])() for task, form in FORMS.items() if form["question"]}
SCORERS = {task: named(form["scorer"]) for task, form in FORMS.items()}
CHOSEN, AMBIGUOUS, CONTRADICTING, UNPARSED = "chosen", "ambiguous", "contradicting", "unparsed"
REFUSED = "refused"
LETTERS = string.ascii_uppercase
FAILED = "failed"
CORRECT = "correct"
WRONG = "wrong"
COUNTED = (CORRECT, AMBIGUOUS, CONTRADICTING, UNPARSED, REFUSED, FAILED)
WITHOUT_TEXT = (REFUSED, FAILED)  # what a line may say of an answer that has no text to be read
ITEM = {
    **dict.fromkeys(("id", "task", "split", "language", "style", "story", "question"), str),
    "choices": list,
    "types": list,
}
WEIGHTS = {"@TASK@": 0.0}
WORDS_OF_TABLE = {
    "en": ("model", "items of", "asked", *COUNTED, "accuracy", "score"),
    "zh": (
        *("模型", "题目", "应答", "答对", "答了不止一项", "字母与文字矛盾"),
        *("读不出", "拒答", "没有回答", "正确率", "总分"),
    ),
}


class UnusableError(Exception):
    """The input cannot be used; the sentence says where and why."""


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, each with the number of its line.

    A pipe or a terminal is read to its end, for which it may wait: that is said.
    """
    if path.is_fifo() or path.is_char_device():
        sys.stderr.write(f"{path}: not a file, but a pipe or a terminal; reading until it ends.\n")
        sys.stderr.flush()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnusableError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise UnusableError(f"{path}: not UTF-8 text (byte {error.start}).") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UnusableError(f"{path}, line {number}: not JSON.") from error
        if not isinstance(found, dict):
            raise UnusableError(f"{path}, line {number}: not an object.")
        yield number, found


def read_records(folder: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """Every item of a release folder as its file has it, and where it stands."""
    for path in (path for part in SPLITS for path in sorted((folder / part).glob("*.jsonl"))):
        for number, item in read_lines(path):
            yield item, f"{path}, line {number}"


def read_items(folder: Path, *, task: str = "", split: str = "") -> list[dict[str, Any]]:
    """The items of a release folder, of one task or of all, in the order of its files.

    Without a split of dev and test: train is looked at by its name only.
    """
    found = [_item(item, place) for item, place in read_records(folder)]
    wanted = (split,) if split else ("dev", "test")
    return [item for item in found if task in ("", item["task"]) and item["split"] in wanted]


def _item(found: dict[str, Any], place: str) -> dict[str, Any]:
    if not ITEM.keys() <= found.keys() or not all(isinstance(found[name], ITEM[name]) for name in ITEM):
        raise UnusableError(f"{place}: not an item of a release.")
    if found["task"] in QUESTIONS:
        right = QUESTIONS[found["task"]].right(found)
        return {**found, "answer": -1 if right is None else right}
    answer = found.get("answers" if found["task"] in ANSWERS else "answer")
    if not isinstance(answer, list if found["task"] in ANSWERS else int):
        raise UnusableError(f"{place}: not an item of a release.")
    return {**found, "answer": -1 if answer == [] else answer}


def with_answers(items: Sequence[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    """The items, those without an answer with that of the file."""
    wanted = {item["id"]: item for item in items}
    answers = {}
    for number, one in read_lines(path):
        name = str(one.get("id"))
        if name not in wanted:
            continue
        if question := QUESTIONS.get(wanted[name]["task"]):
            own = one.get(OWN)
            right = question.right({**wanted[name], OWN: own})
            if not isinstance(own, dict) or right is None:
                raise UnusableError(f"{path}, line {number}: holds no answer in `own`.")
            answers[name] = {OWN: own, "answer": right}
            continue
        form, count = ANSWERS.get(wanted[name]["task"]), len(wanted[name]["choices"])
        answer = one.get("answers" if form else "answer")
        places = answer if form and isinstance(answer, list) else [answer]
        if not all(type(place) is int and 0 <= place < count for place in places):
            raise UnusableError(f"{path}, line {number}: the answer is none of the {count} options.")
        answers[name] = {"answer": answer}
    return [
        {**item, **answers[item["id"]]} if item["answer"] == -1 and item["id"] in answers else item
        for item in items
    ]


def prompt_of(item: Mapping[str, Any]) -> str:
    """The zero-shot prompt: story, question, options under letters, and the wish for the letter only.

    Where there are no options, the prompt of the task.
    """
    if question := QUESTIONS.get(item["task"]):
        return str(question.put(question.template(str(item["language"])), item, ()))
    template = zero_shot(str(item["language"]), TEMPLATES.get(ANSWERS.get(item["task"], ""), ZERO_SHOT))
    return str(
        fill_question(template, story=item["story"], question=item["question"], options=item["choices"])
    )


def target_of(item: Mapping[str, Any]) -> str:
    """The right answer as a model should write it; "" where it is withheld."""
    if question := QUESTIONS.get(item["task"]):
        return str(question.words(item))
    return str(item.get("answer_letters" if item["task"] in ANSWERS else "answer_letter") or "")


def has_one_option(task: str) -> bool:
    """Whether items of a task are answered by one of their options."""
    return task not in ANSWERS and task not in QUESTIONS


def row_of(item: Mapping[str, Any]) -> dict[str, object]:
    """The fields of an item whose types are the same in all items of a task, for tables, and its `target`."""
    nested = () if has_one_option(item["task"]) else (OWN, "answer")
    return {**{name: value for name, value in item.items() if name not in nested}, "target": target_of(item)}


def measure_of(task: str) -> str:
    """What the mean score of a task is called, such as f1; "" where a response is right or wrong."""
    return str(FORMS[task]["measure"]) if task in FORMS else ""


def score_text(
    text: str, item: Mapping[str, Any], order: Sequence[int] | None = None, finish_reason: str = ""
) -> Judged:
    """What came of a response, and its score: correct, wrong, ambiguous, contradicting, unparsed or refused.

    `order`: the positions of the options as they were shown, where that was not the order of the item. Of an
    answer that was cut off (`finish_reason` "length") a choice counts only where it was said first.
    """
    shown = list(range(len(item["choices"]))) if order is None else order
    if not isinstance(shown, list) or sorted(map(repr, shown)) != sorted(
        map(repr, range(len(item["choices"])))
    ):
        raise UnusableError("the order must name each option once.")
    options = [item["choices"][place] for place in shown]
    if question := QUESTIONS.get(item["task"]):
        read = question.read_as_ended(text, item, shown, finish_reason)
        outcome, given = read.outcome, read.given
    elif form := ANSWERS.get(item["task"]):
        read = READERS[form](text, options)
        is_whole = form != SEVERAL or not is_cut_off(finish_reason)
        outcome, given = read.outcome, [shown[place] for place in read.choices] if is_whole else None
    else:
        read = (read_cut_off if is_cut_off(finish_reason) else read_answer)(text, options)
        outcome, given = read.outcome, None if read.choice is None else shown[read.choice]
    if outcome != CHOSEN or given is None:
        return Judged(UNPARSED if outcome == CHOSEN else str(outcome), 0.0)
    return score_choice(given, item)


def score_choice(choice: Any, item: Mapping[str, Any]) -> Judged:
    """Whether a choice is correct or wrong, and its score.

    It is an option, by position or letter, or several, or an order of all; or an answer in the form of `own`.
    """
    given, right = _given(choice, item), item["answer"]
    if right == -1:
        return Judged(WRONG, 0.0)
    form = FORMS.get(item["task"])
    score = SCORERS[item["task"]](given, right) if form else float(given == right)
    return Judged(CORRECT if score >= (form["agrees_from"] if form else 1) else WRONG, score)


def _given(choice: Any, item: Mapping[str, Any]) -> Any:
    """The choice as the files have answers: a position, a list of positions, or an object."""
    count, form = len(item["choices"]), ANSWERS.get(item["task"])
    if item["task"] in QUESTIONS:
        if not QUESTIONS[item["task"]].is_answer(choice, item):
            raise UnusableError("the choice is no answer in the form of `own`.")
        return choice
    if form:
        places = [LETTERS.find(one) for one in choice.strip().upper()] if isinstance(choice, str) else choice
        if not isinstance(places, list) or not all(type(one) is int and 0 <= one < count for one in places):
            raise UnusableError(f"the choice is no list of the {count} options.")
        if form == ORDER and sorted(places) != list(range(count)):
            raise UnusableError(f"the choice is no order of the {count} options.")
        return sorted(set(places)) if form == SEVERAL else places
    if isinstance(choice, str):
        letter = choice.strip().upper()
        choice = LETTERS.find(letter) if len(letter) == 1 else -1
    if isinstance(choice, bool) or not isinstance(choice, int) or not 0 <= choice < count:
        raise UnusableError(f"the choice is none of the {count} options.")
    return choice


Outcomes = dict[str, dict[tuple[str, Any, Any], Judged]]


def read_responses(
    paths: Iterable[Path], items: Mapping[str, Mapping[str, Any]], known: Collection[str]
) -> Outcomes:
    """By model what came of each (item, repeat, rotation); `known` are ids that are not scored now.

    The same answer twice counts once; one that failed gives way to one that came later.
    """
    outcomes: Outcomes = {}
    said: dict[tuple[str, Any, Any, Any], Any] = {}
    for path in paths:
        for number, one in read_lines(path):
            name = str(one.get("item_id"))
            if name in items or name not in known:
                try:
                    _take(one, items.get(name), outcomes.setdefault(str(one.get("model", "")), {}), said)
                except UnusableError as error:
                    raise UnusableError(f"{path}, line {number}: {error}") from error
    return outcomes


def _take(
    one: Mapping[str, Any],
    item: Mapping[str, Any] | None,
    answers: dict[tuple[str, Any, Any], Judged],
    said: dict[tuple[str, Any, Any, Any], Any],
) -> None:
    key, judged = _judged(one, item)
    whose, words = (str(one.get("model", "")), *key), (one.get("text"), one.get("choice"))
    if key not in answers or answers[key].outcome == FAILED:
        answers[key], said[whose] = judged, words
    elif judged.outcome != FAILED and said[whose] != words:
        raise UnusableError(f"{key[0]} is answered twice, and not alike.")


def _judged(one: Mapping[str, Any], item: Mapping[str, Any] | None) -> tuple[tuple[str, Any, Any], Judged]:
    if item is None or not ("text" in one or "choice" in one or one.get("outcome") in WITHOUT_TEXT):
        raise UnusableError("needs the item_id of an item of this release, and text or choice.")
    if not isinstance(one.get("model"), str) or not isinstance(one.get("text"), str | None):
        raise UnusableError("model and text must be text.")
    key = item["id"], _number(one, "repeat", 1), _number(one, "rotation", 0)
    if one.get("outcome") in WITHOUT_TEXT:
        return key, Judged(one["outcome"], 0.0)
    if one.get("outcome") is not None:
        raise UnusableError(f"the outcome is neither {' nor '.join(WITHOUT_TEXT)}.")
    if one.get("text") is not None:
        finish = one.get("finish_reason")
        return key, score_text(one["text"], item, one.get("order"), finish if isinstance(finish, str) else "")
    return key, Judged(FAILED, 0.0) if one.get("choice") is None else score_choice(one["choice"], item)


def _number(one: Mapping[str, Any], field: str, otherwise: int) -> int:
    value = one.get(field, otherwise)
    if type(value) is not int or value < 0:  # True is an int by kind, and no number here
        raise UnusableError(f"{field} must be a whole number.")
    return value


def totals(judged: Sequence[Judged], measure: str = "") -> dict[str, Any]:
    """How many responses were asked for, what came of them, the share of correct ones, and the mean score.

    The mean is there where `measure` names it.
    """
    outcomes = [one.outcome for one in judged]
    counted = {name: outcomes.count(name) for name in COUNTED}
    accuracy = round(counted[CORRECT] / len(judged), 6) if judged else None
    mean = {measure: round(sum(one.score for one in judged) / len(judged), 6)} if judged and measure else {}
    return {"n": len(judged), **counted, "accuracy": accuracy, **mean}


def splits_of(
    outcomes: Mapping[tuple[str, Any, Any], Judged], items: Iterable[Mapping[str, Any]]
) -> list[str]:
    """The splits of which a model answered any item, in their order."""
    answered = {name for name, _repeat, _rotation in outcomes}
    found = {item["split"] for item in items if item["id"] in answered}
    return [split for split in SPLITS if split in found]


def score_model(
    outcomes: Mapping[tuple[str, Any, Any], Judged], items: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Totals of one model by task, type and (moral items) style, and the score where both tasks are there.

    Of each split of which the model answered anything, every item was asked.
    """
    splits = splits_of(outcomes, items)
    repeats = sorted({repeat for _item, repeat, _rotation in outcomes})
    has_turns = any(rotation for _item, _repeat, rotation in outcomes)
    rows = [
        (item, outcomes.get((item["id"], repeat, rotation), Judged(FAILED, 0.0)))
        for item in items
        if item["split"] in splits
        for repeat in repeats
        for rotation in range(max(1, len(item["choices"])) if has_turns else 1)
    ]

    def cells(of: str, task: str = "") -> dict[str, Any]:
        found: dict[str, list[Judged]] = {}
        for item, outcome in rows:
            for name in item[of] if of == "types" else [item[of]]:
                if task in ("", item["task"]):
                    found.setdefault(name, []).append(outcome)
        return {name: totals(found[name], measure_of(name) if of == "task" else "") for name in sorted(found)}

    tasks = cells("task")
    has_both = WEIGHTS.keys() <= tasks.keys()
    return {
        **tasks,
        "by_type": cells("types"),
        "by_style": cells("style", "@STYLED@"),
        "score": round(sum(WEIGHTS[task] * tasks[task]["accuracy"] for task in WEIGHTS), 6)
        if has_both
        else None,
    }


def as_table(models: Mapping[str, Mapping[str, Any]], language: str) -> str:
    """The totals for people: a line each for task, type and style."""
    words = WORDS_OF_TABLE.get(language, WORDS_OF_TABLE["en"])
    lines = ["\t".join(words[:-1])]
    for model, scores in models.items():
        groups = {name: one for name, one in scores.items() if isinstance(one, dict) and "n" in one}
        for name, one in [*groups.items(), *scores["by_type"].items(), *scores["by_style"].items()]:
            figures = [str(one[field]) for field in ("n", *COUNTED)]
            mean = [f"{code} {one[code]:.4f}"] if (code := measure_of(name)) in one else []
            lines.append("\t".join([model, name, *figures, f"{100 * one['accuracy']:.2f} %", *mean]))
        if scores["score"] is not None:
            lines.append(f"{model}\t{words[-1]}\t{100 * scores['score']:.2f}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Score the responses; 0 where that could be done, 2 where the input cannot be used."""
    parser = argparse.ArgumentParser(description="Scores answers of models to the items of this release.")
    parser.add_argument("responses", nargs="+", type=Path, metavar="RESPONSES", help="JSONL files")
    parser.add_argument("--split", choices=SPLITS, default="", help="one split; else dev and test")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="the withheld answers")
    parser.add_argument("--release", type=Path, metavar="DIR", default=Path(__file__).resolve().parent)
    parser.add_argument("--json", action="store_true", help="one JSON object in place of a table")
    given = parser.parse_args(arguments)
    try:
        _score(given)
    except UnusableError as error:
        sys.stderr.write(f"{_writable(str(error))}\n")
        return 2
    return 0


def _score(given: argparse.Namespace) -> None:
    records = [item for item, _place in read_records(given.release)]
    known = {str(item.get("id")) for item in records}
    items = read_items(given.release, split=given.split)
    if not items:
        raise UnusableError(f"{given.release}: holds no items in dev/ and test/ that can be scored here.")
    language = str(items[0]["language"])[:2]
    if given.answers:
        items = with_answers(items, given.answers)
    keyed = [item for item in items if item["answer"] != -1]
    if len(keyed) < len(items):
        left = len(items) - len(keyed)
        sys.stderr.write(f"{left} items are left out: their answers are withheld.\n")
    outcomes = read_responses(given.responses, {item["id"]: item for item in keyed}, known)
    if keyed and not outcomes:
        raise UnusableError(f"{given.responses[0]}: holds no answer to the items that are scored.")
    models = {model: score_model(outcomes[model], keyed) for model in sorted(outcomes)}
    splits = {model: splits_of(outcomes[model], keyed) for model in sorted(outcomes)}
    for model, answered in splits.items():
        if {item["split"] for item in keyed} > {*answered}:
            sys.stderr.write(
                f"{_writable(model)}: answered only {', '.join(answered)}, and is scored on it.\n"
            )
    said = (
        json.dumps({"models": models, "splits": splits}, ensure_ascii=False)
        if given.json
        else as_table(models, language)
    )
    sys.stdout.write(f"{_writable(said)}\n")


def _writable(words: str) -> str:
    """The words, with half characters, which no terminal takes, written out."""
    return words.encode("utf-8", "backslashreplace").decode()


if __name__ == "__main__":
    sys.exit(main())
