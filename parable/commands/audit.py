"""`audit PATH...`: runs the gates on files of items, without a project or server."""

import argparse
import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from parable.commands.figures import checks_heading, facts, figures, number_found, rules
from parable.commands.file_errors import errors_as_json, is_known, print_errors, remark_lines
from parable.commands.item_files import Files, read_files
from parable.commands.judge_options import is_half_named
from parable.commands.kind_audit import audit_files
from parable.commands.kind_audit import lines as kind_lines
from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.second_process import Worker, second_process, this_process
from parable.commands.wording import check_sentence, sentence, unwritable
from parable.extras import require
from parable.formats.errors import RowError
from parable.formats.items import AUTO, ITEM_FORMATS, PUBLISHED
from parable.formats.kind_files import layout_of
from parable.formats.layouts import Layout
from parable.formats.records import ItemRecord
from parable.quality.gates import (
    ERROR,
    GATES,
    WARNING,
    Answers,
    GateResult,
    ItemSet,
    MeasuringGate,
    ask,
    decide_set,
)
from parable.quality.gates.decision_rule import Measured
from parable.quality.gates.faulty_items import FaultyItems, contradictions
from parable.quality.gates.sample import sample_set, say_sampled
from parable.quality.item import CHECKS, RULES
from parable.quality.item.sets import (
    Looked,
    SetFindings,
    by_whole_stories,
    judge_drawn,
    judge_set,
    look_at,
)
from parable.quality.item.sets import drawn as draw_items
from parable.quality.slices import merge
from parable.quality.slices.state import StateError
from parable.quality.slices.whole import SlicesError, Whole
from parable.sentences import translate

if TYPE_CHECKING:
    from parable.commands.judge import Judgements

ANSWER_IS_NO: Final = 1
FAULTY_ITEMS: Final = FaultyItems()
"""The gate for faulty items; it runs separately, because its findings are also printed for each check."""
SAMPLING: Final = {
    name: gate for name, gate in GATES.items() if isinstance(gate, MeasuringGate) and gate.samples
}
APART: Final = {FAULTY_ITEMS.id, *SAMPLING}
TOGETHER: Final = (
    *((name,) for name, gate in SAMPLING.items() if not gate.learns),
    tuple(name for name, gate in SAMPLING.items() if gate.learns),
)
"""The sampling gates, grouped by unit of work; gates that learn form one unit, as they share a classifier."""
LARGE: Final = 5_000
"""Number of items above which two processes are faster than one."""
LARGE_BYTES: Final = 5_000_000
"""Size of all files in bytes above which the second process is started before the files are read."""
MOST_SLICES: Final = 10_000
AT_ONCE: Final = 2_000
"""Number of items in a unit of work for the checks, so small that both processes end together."""


def run(options: argparse.Namespace) -> int:
    """Audit the files; return 0 if no gate finds an error, 1 if one does, 2 if a file cannot be used."""
    layouts = {path: layout for path in options.paths if (layout := layout_of(path)) is not None}
    if not is_known(options.format, ITEM_FORMATS, options.language):
        return UNUSABLE
    if layouts and options.format in (AUTO, PUBLISHED):
        return _audit_kinds(layouts, options)
    if is_half_named(options):
        return _refuse_words("judge_half_named", options)
    if options.judge_model is not None:
        require("models")
    if options.slices is not None:
        return _audit_slices(options)
    with _without_collection(), second_process(__name__) as other:
        if sum(path.stat().st_size for path in options.paths if path.is_file()) > LARGE_BYTES:
            other.start()
        return _audit_with(other, options)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Disable garbage collection in the block: items have no reference cycles, and collections take long."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _audit_slices(options: argparse.Namespace) -> int:
    """Audit the files in slices, or build the state of one slice alone."""
    from parable.commands import slices  # starts processes, which few audits need

    if not 0 < options.slices <= MOST_SLICES or not 0 < (options.slice or 1) <= options.slices:
        return _refuse_words("slices_number", options)
    if options.slice is not None and options.states is None:
        return _refuse_words("slices_where", options)
    if options.report is not None or options.judge_model is not None:
        return _refuse_words("slices_alone", options)
    try:
        with slices.states_folder(options) as folder:
            if options.slice is not None:
                items = slices.build(options, options.slice - 1, folder)
                details = {"slice": options.slice, "of": options.slices, "items": items}
                print(sentence("slice_done", options.language) % details)
                return DONE
            slices.build_all(options, folder)
            with _without_collection(), second_process(__name__) as other:
                return _audit_whole(slices.load(options, folder), other, options)
    except slices.UnreadableError as unreadable:
        return _refuse(unreadable.errors, options)
    except SlicesError as refused:
        print(sentence(refused.code, options.language) % {"about": refused.about}, file=sys.stderr)
        return _unusable([], options)
    except StateError as damaged:
        print(sentence("slices_damaged", options.language) % {"about": damaged.args[0]}, file=sys.stderr)
        return _unusable([], options)


def _audit_whole(whole: Whole, other: Worker, options: argparse.Namespace) -> int:
    from parable.commands.slices import remarks_of

    if not len(whole):
        return _refuse_words("no_items", options)
    found, results = judged_slices(whole, other if len(whole) > LARGE else this_process())
    remarks = remarks_of(whole)
    _say(found, results, remarks, options)
    if options.as_json:
        print_json(_as_json(len(whole), found, results, remarks, options))
    return ANSWER_IS_NO if any(result.verdict == ERROR for result in results) else DONE


def _say(
    found: SetFindings,
    results: Sequence[GateResult],
    remarks: Sequence[RowError],
    options: argparse.Namespace,
) -> None:
    for line in remark_lines(remarks, options.language):
        print(line)
    for line in (*lines(results, options.language), *check_lines(found, options.language)):
        print(line)


def _as_json(
    items: int,
    found: SetFindings,
    results: Sequence[GateResult],
    remarks: Sequence[RowError],
    options: argparse.Namespace,
) -> dict[str, object]:
    return {
        "items": items,
        "gates": [result.as_json() for result in results],
        **found.as_json(),
        "remarks": errors_as_json(remarks, options.language),
    }


def _audit_with(other: Worker, options: argparse.Namespace) -> int:
    files = read_files(
        options.paths,
        code=options.format,
        numbers=options.numbers,
        sheet=options.sheet,
        mapping=options.mapping,
        begin=other.begin,
    )
    if files.errors:
        return _refuse(files.errors, options)
    if not files.items.items:
        return _refuse_words("no_items", options)
    found, results = judged(files.items, other if len(files.items.items) > LARGE else this_process())
    _say(found, results, files.remarks, options)
    checked = _as_json(len(files.items.items), found, results, files.remarks, options)
    by_model = None if options.judge_model is None else _judge_too(files.items.items, options)
    if by_model is not None and not by_model.judged:
        return _refuse_words("judge_silent", options)
    if options.report is not None and not _report(files, results, found, by_model, options):
        return UNUSABLE
    if options.as_json:
        print_json(checked if by_model is None else by_model.added_to(checked))
    return ANSWER_IS_NO if any(result.verdict == ERROR for result in results) else DONE


def judged(items: ItemSet, other: Worker) -> tuple[SetFindings, list[GateResult]]:
    """Return the findings of the single-item checks, and the results of all gates.

    While this process runs the other gates, the worker measures the sampling gates and runs the checks, both
    on samples of limited size.
    """
    drawn, checked = sample_set(items), draw_items(items.items)
    begun = _Begun(other, drawn, checked)
    answers = {name: ask(gate, items) for name, gate in GATES.items() if name not in APART}
    looked, measured = begun.results()
    keyed = {task: len(items.keyed(task)) for task in drawn.tasks}
    answers |= _sampled(measured, keyed, drawn)
    found = judge_set(items.items, looked=looked)
    results = decide_set(items, _in_order(answers))
    return found, [*results, FAULTY_ITEMS.result_of(found, contradictions(items.items))]


def judged_slices(whole: Whole, other: Worker) -> tuple[SetFindings, list[GateResult]]:
    """Return the findings of a set in slices, which are those of `judged` for the whole set."""
    drawn = merge.sample_set(whole)
    checked = merge.checked_items(whole)
    begun = _Begun(other, drawn, checked)
    answers = {name: answer(whole) for name, answer in merge.MERGED.items()}
    looked, measured = begun.results()
    keyed = {task: len(whole.keyed(task)) for task in drawn.tasks}
    answers |= _sampled(measured, keyed, drawn)
    found = judge_drawn(checked, looked, len(whole), merge.errors_everywhere(whole, len(checked)))
    results = decide_set(drawn, _in_order(answers))
    return found, [*results, FAULTY_ITEMS.result_of(found, merge.contradictions(whole))]


class _Begun:
    """The sampling gates and the checks, which the worker has begun."""

    def __init__(self, other: Worker, drawn: ItemSet, checked: Sequence[ItemRecord]) -> None:
        self._parts = by_whole_stories(checked, AT_ONCE)
        self._many = len(checked)
        other.take((drawn, checked))
        self._measures = [other.begin(_measure, *names) for names in TOGETHER]
        self._looks = [other.begin(_look_at, part) for part in self._parts]

    def results(self) -> tuple[list[Looked], list[Measured]]:
        """Return what the checks find in each item, and the measurements of the gates."""
        # in reverse order, so that this process does the work that the worker has not begun
        looked = [look() for look in reversed(self._looks)][::-1]
        measured = [one for measure in reversed(self._measures) for one in measure()]
        seen = dict(zip(chain(*self._parts), chain(*looked), strict=True))
        return [seen[index] for index in range(self._many)], measured


def _sampled(
    measured: Sequence[Measured], keyed: Mapping[str, int], drawn: ItemSet
) -> dict[str, list[Measured]]:
    said = say_sampled(measured, keyed, drawn)
    return {name: [one for one in said if one.id == name] for name in SAMPLING}


def _in_order(answers: Mapping[str, Answers]) -> list[Measured | GateResult]:
    return [one for name in GATES if name in answers for one in answers[name]]


Samples = tuple[ItemSet, Sequence[ItemRecord]]
"""The data sent to the second process: the sample for gates, and the items for the checks."""


def _measure(samples: Samples, *gates: str) -> list[Measured]:
    return [one for gate in gates for one in SAMPLING[gate].measure(samples[0])]


def _look_at(samples: Samples, places: Sequence[int]) -> list[Looked]:
    drawn, checked = samples
    return [*look_at([checked[place] for place in places], standard_stems=drawn.standard_stems)]


def _judge_too(items: Sequence[ItemRecord], options: argparse.Namespace) -> "Judgements":
    """Have a language model judge the items; print and return its judgements."""
    from parable.commands.judge import judge_lines, judgements_for, say_lost

    found = judgements_for(items, options)
    say_lost(found, options.language)
    for line in judge_lines(found, options.language) if found.judged else ():
        print(line)
    return found


def _report(
    files: Files,
    results: Sequence[GateResult],
    found: SetFindings,
    by_model: "Judgements | None",
    options: argparse.Namespace,
) -> bool:
    """Write the report and print its paths; return whether it could be written."""
    from parable.commands.report import Section, write_report

    language = options.language
    remarks = tuple(line.strip() for line in [*remark_lines(files.remarks, language)][1:])
    heading, about = (sentence(f"remarks_{part}", language) for part in ("heading", "about"))
    more = [Section(heading, about, None, remarks)] if remarks else []
    if by_model is not None:
        more.append(by_model.section(language))
    try:
        written = write_report(options.report, files.items, results, found, language, more)
    except OSError as error:
        unwritable(options.report, error, language)
        return False
    print(sentence("written", options.language) % {"files": ", ".join(map(str, written))})
    return True


def _audit_kinds(layouts: Mapping[Path, Layout[Any]], options: argparse.Namespace) -> int:
    """Audit files of kinds without options, and return the exit code; refuse a mixture with other files."""
    others = [path for path in options.paths if path not in layouts]
    if others or options.report is not None:
        return _refuse_words("kinds_apart" if others else "kinds_unreported", options)
    files = audit_files(list(layouts), list(layouts.values()))
    if files.errors:
        return _refuse(files.errors, options)
    for line in (*remark_lines(files.remarks, options.language), *kind_lines(files, options.language)):
        print(line)
    if options.as_json:
        remarks = errors_as_json(files.remarks, options.language)
        print_json(files.as_json(options.language) | {"remarks": remarks})
    return ANSWER_IS_NO if files.contradict else DONE


def _refuse(errors: Iterable[RowError], options: argparse.Namespace) -> int:
    listed = list(errors)
    print_errors(listed, options.language)
    return _unusable(errors_as_json(listed, options.language), options)


def _refuse_words(code: str, options: argparse.Namespace) -> int:
    print(sentence(code, options.language), file=sys.stderr)
    return _unusable([], options)


def _unusable(problems: Sequence[Mapping[str, object]], options: argparse.Namespace) -> int:
    if options.as_json:
        data = {"items": 0, "gates": [], "item_checks": {}, "rules": RULES, "errors": problems}
        print_json(data)
    return UNUSABLE


def check_lines(found: SetFindings, language: str) -> Iterator[str]:
    """Yield a heading, then two lines per check with findings: its name and rule, and its first items."""
    yield checks_heading(found, language)
    for name, items in found.found.items():
        verdict = sentence(ERROR if name in found.failed else WARNING, language)
        rule = f" [{RULES[name]}]" if name in RULES else ""
        label = f"{name}{rule}: {translate(CHECKS[name].name, language)}"
        yield f"{verdict:>14}  {label} ({number_found(found, name)})"
        message = check_sentence(found.sentences[name], language) if name in found.sentences else ""
        yield " " * 16 + sentence("found_first", language) % {"items": ", ".join(items[:8]), "said": message}


def lines(results: Sequence[GateResult], language: str) -> Iterator[str]:
    """Yield a line for each result with its figure, interval and threshold, followed by its rules and facts.

    Unless the verdict is "ok", a further line lists the first items and the remedy.
    """
    for result in results:
        gate = GATES[result.id]
        task = f", {sentence(result.task, language)}" if result.task else ""
        verdict = sentence(result.verdict, language)
        name = translate(gate.name, language)
        yield f"{verdict:>14}  {result.id}{task}: {name} ({figures(result, language)})"
        if found := rules(result, language):
            yield " " * 16 + sentence("rules", language) % {"rules": found}
        for fact in facts(result, language):
            yield " " * 16 + fact
        if result.items and result.verdict != "ok":
            details: dict[str, object] = {
                "items": ", ".join(result.items[:8]),
                "fix": translate(gate.fix, language),
            }
            yield " " * 16 + sentence("offenders", language) % details
