"""Scores rankings of proverbs against a published file of narratives."""

# Names tasks: only narratives are ranked for.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from parable.commands.results.numbers import figure
from parable.commands.wording import sentence
from parable.formats.epic import NARRATIVES
from parable.formats.errors import RowError
from parable.formats.layouts import read_layout
from parable.formats.options import normalise_option
from parable.formats.rankings import read_rankings
from parable.kinds.proverb import Narrative
from parable.kinds.proverb_choice import key_ranks, renamed
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.retrieval import Retrieval, retrieval


@dataclass(frozen=True, slots=True)
class RankingScores:
    """The figures of each file of rankings, by its name; {} if there are errors."""

    models: Mapping[str, Retrieval]
    errors: tuple[RowError, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the figures as JSON."""
        return {"models": {name: {"retrieval": asdict(found)} for name, found in self.models.items()}}


def score_rankings(files: Sequence[Path], *, gold: Path) -> RankingScores:
    """Return the figures of each file over all narratives of the file of right answers.

    A narrative without a list counts as not found, and other narratives are ignored. A file may name proverbs
    by their ids or by their texts; proverbs of other splits count like those of the file of right answers.
    """
    reading = read_layout(gold, name=str(gold), layout=NARRATIVES)
    errors = list(reading.errors)
    keys = {one.id: proverb_id(one) for one in reading.records}
    names = {
        normalise_option(name): proverb_id(one)
        for one in reading.records
        for name in (one.proverb, proverb_id(one))
    }
    models = [path.stem for path in files]
    if len(set(models)) < len(models):
        models = [str(path) for path in files]
    found: dict[str, Retrieval] = {}
    for model, path in zip(models, files, strict=True):
        given = read_rankings(path, name=str(path))
        errors += given.errors
        ranked = renamed(given.ranked, lambda one: names.get(folded := normalise_option(one), folded))
        found[model] = retrieval((keys[one], rank) for one, rank in key_ranks(ranked, keys).items())
    return RankingScores({}, tuple(errors)) if errors else RankingScores(found)


def proverb_id(narrative: Narrative) -> str:
    """Return the id of a narrative's proverb: narrative `Q12N3` is about the proverb `Q12`."""
    return narrative.id.rpartition("N")[0] or narrative.proverb


def retrieval_lines(scores: RankingScores, language: str) -> Iterator[str]:
    """Yield the lines of a Markdown table of the figures, one row per file."""
    heads = ("model", "n", "unranked", "accuracy", "reciprocal_rank")
    yield "| " + " | ".join(sentence(f"kinds_{name}", language) for name in heads) + " |"
    yield "|" + "---|" * len(heads)
    for model, found in scores.models.items():
        cells = (str(found.n), str(found.unranked), _cell(found.accuracy), _cell(found.reciprocal_rank))
        yield f"| {model} | " + " | ".join(cells) + " |"


def _cell(one: Estimate) -> str:
    if one.value is None:
        return "–"
    ends = (
        ""
        if one.low is None or one.high is None
        else f" [{figure(one.low, '.3f')}, {figure(one.high, '.3f')}]"
    )
    return figure(one.value, ".3f") + ends
