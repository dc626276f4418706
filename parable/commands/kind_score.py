"""Scores answers to texts of kinds without options against a file of right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from parable.commands.results.numbers import figure
from parable.commands.wording import sentence
from parable.formats.epic import NARRATIVES
from parable.formats.errors import ErrorCode, ErrorList, InputError, RowError
from parable.formats.json_reader import read_json_rows
from parable.formats.kind_files import Answers, layout_of, read_answers
from parable.formats.layouts import Layout, read_layout
from parable.formats.nodes import Node
from parable.formats.sources import decode, load
from parable.formats.space import ANOMALY, SCENE, STEP
from parable.kinds import scene
from parable.kinds.anomaly import MEASURES
from parable.kinds.anomaly import score_item as score_alternatives
from parable.kinds.averages import Score, average, score_all
from parable.kinds.proverb import score_alignment
from parable.kinds.step import score_item as score_tuples

Figures = dict[str, object]
Records = Mapping[str, Any]
Grades = Mapping[str, tuple[int, ...]]
ItemScorer = Callable[[Any, Any], Score]

_AVERAGES: Final = ("avg_precision", "avg_recall", "macro_f1", "micro_f1")


def _alternatives_by(measure: str) -> ItemScorer:
    return lambda gold, given: score_alternatives(gold.alternatives, given.alternatives, MEASURES[measure])


def _tuples(gold: Any, given: Any) -> Score:
    return score_tuples(gold.tuples, given.tuples, gold.corefs or ())


@dataclass(frozen=True, slots=True)
class Scored:
    """A kind that can be scored: its layout, and its scorers by measure ("" for a single measure).

    If `measures` is empty, answers are judgements: right or wrong, with reasons that people grade.
    """

    layout: Layout[Any]
    measures: Mapping[str, ItemScorer]


SCORED: Final[Mapping[str, Scored]] = MappingProxyType(
    {
        "anomaly": Scored(ANOMALY, {name: _alternatives_by(name) for name in MEASURES}),
        "step": Scored(STEP, {"": _tuples}),
        "scene": Scored(SCENE, {}),
        "proverb": Scored(NARRATIVES, {"": score_alignment}),
    }
)


@dataclass(frozen=True, slots=True)
class KindScores:
    """The scores of answers to one kind, by name of the answer file; {} if there are errors.

    `kind` is "" if unknown.
    """

    kind: str
    models: Mapping[str, Figures]
    errors: tuple[RowError, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the scores as JSON."""
        return {"models": {name: {self.kind: figures} for name, figures in self.models.items()}}


def score_files(
    answers: Sequence[Path], *, gold: Path, kind: str | None = None, grades: Path | None = None
) -> KindScores:
    """Return the scores of each file of answers; the file of right answers must be complete.

    If `kind` is None, it is detected from the layout of the right answers.
    """
    found = kind or kind_of_file(gold)
    if not found:
        return KindScores("", {})
    scored = SCORED[found]
    right, refused = _read_gold(gold, scored.layout)
    names = [path.stem for path in answers]
    if len(set(names)) < len(names):
        names = [str(path) for path in answers]
    given = {
        name: read_answers(path, name=str(path), layout=scored.layout)
        for name, path in zip(names, answers, strict=True)
    }
    graded, errors = _read_grades(grades)
    errors += refused + tuple(error for one in given.values() for error in one.errors)
    if graded is not None and not errors:
        errors += tuple(_ungraded(graded, right, given.values(), str(grades)))
    if errors:
        return KindScores(found, {}, errors)
    figures = {name: _figures(scored, right, one.records, graded) for name, one in given.items()}
    return KindScores(found, figures)


def kind_of_file(path: Path) -> str:
    """Return the kind of a file by its layout; "" if it is no kind that can be scored."""
    layout = layout_of(path)
    return next((name for name, scored in SCORED.items() if scored.layout is layout), "")


def _read_gold(path: Path, layout: Layout[Any]) -> tuple[Records, tuple[RowError, ...]]:
    """Return the right answers by id, and errors; a record without an answer is an error."""
    reading = read_layout(path, name=str(path), layout=layout)
    answer = layout.fields[-1]
    withheld = tuple(
        RowError(reading.name, row.row, answer, ErrorCode.MISSING, {})
        for row in reading.rows
        if layout.write(row.record).get(answer) is None or (layout is SCENE and not row.record.judgements)
    )
    found = {str(layout.write(one)[layout.id_field]): one for one in reading.records}
    return found, reading.errors + withheld


def _read_grades(path: Path | None) -> tuple[Grades | None, tuple[RowError, ...]]:
    """Return the grades of each reason by id, from lines of `{"qid", "grades": [first, second]}`."""
    if path is None:
        return None, ()
    errors, found = ErrorList(str(path)), dict[str, tuple[int, ...]]()
    try:
        for row, values in read_json_rows(decode(load(path, otherwise=ErrorCode.OTHER_THAN_LINES)), errors):
            try:
                node = Node(values)
                found[node.member("qid").line()] = _grades(node.member("grades"))
            except InputError as refused:
                errors.add(row, refused.field, refused.code, **refused.params)
    except InputError as refused:
        errors.refuse(refused)
    return found, errors.in_order()


def _grades(node: Node) -> tuple[int, ...]:
    grades = node.whole_numbers()
    if not scene.is_graded(grades):
        allowed = f"[0 – {scene.HIGHEST_GRADE}, 0 – {scene.HIGHEST_GRADE}]"
        raise InputError(ErrorCode.UNKNOWN_VALUE, field=node.place, found=str(list(grades)), allowed=allowed)
    return grades


def _ungraded(grades: Grades, gold: Records, given: Iterable[Answers[Any]], file: str) -> Iterator[RowError]:
    """Yield an error for each right judgement whose reason has no grades."""
    for answers in given:
        judged = _judged(answers.records)
        for name, is_same in _judged(gold).items():
            if judged.get(name) == is_same and name not in grades:
                yield RowError(file, 1, name, ErrorCode.MISSING, {})


def _judged(side: Records) -> dict[str, bool]:
    return {name: one.judgements[0].is_same for name, one in side.items() if one.judgements}


def _figures(scored: Scored, gold: Records, given: Records, grades: Grades | None) -> Figures:
    answered: Figures = {"answered": len(gold.keys() & given.keys())}
    if not scored.measures:
        return answered | asdict(scene.score_all(_judged(gold), _judged(given), grades))
    measured = {
        name: asdict(average(score_all(gold, given, score).values()))
        for name, score in scored.measures.items()
    }
    return answered | measured.get("", measured)


def lines(scores: KindScores, language: str) -> Iterator[str]:
    """Yield the lines of a Markdown table of scores, one row per answer file and measure."""
    columns = _AVERAGES if SCORED[scores.kind].measures else ("correct", "accuracy", "score")
    heads = ("model", "measure", "n", "answered", *columns)
    yield "| " + " | ".join(sentence(f"kinds_{name}", language) for name in heads) + " |"
    yield "|" + "---|" * len(heads)
    for model, figures in scores.models.items():
        nested = [(name, found) for name, found in figures.items() if isinstance(found, dict)]
        for measure, found in nested or [("", figures)]:
            cells = (figures["answered"], *(found[name] for name in columns))
            yield f"| {model} | {measure} | {found['n']} | " + " | ".join(map(_cell, cells)) + " |"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return figure(value, ".4f") if isinstance(value, float) else str(value)
