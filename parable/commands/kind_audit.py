"""Audits files of kinds without options: finds contradictions, and computes statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from parable.commands.results.numbers import figure
from parable.commands.wording import sentence
from parable.formats.errors import RowError
from parable.formats.layouts import Layout, read_layout
from parable.kinds.anomaly import AnomalyText, anomaly_counts
from parable.kinds.proverb import Narrative, narrative_counts
from parable.kinds.scene import ScenePair, scene_counts
from parable.kinds.step import StepText, step_counts
from parable.quality.finding import Finding
from parable.quality.gates.base import ERROR
from parable.quality.kinds import CHECKS, judge
from parable.sentences import translate

_COUNTED: Final[Mapping[type, Callable[[Iterable[Any]], Any]]] = MappingProxyType(
    {
        AnomalyText: anomaly_counts,
        StepText: step_counts,
        ScenePair: scene_counts,
        Narrative: narrative_counts,
    }
)
"""Functions that compute the statistics of a kind, by the class of its records."""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, with the record that it is about."""

    file: str
    row: int
    record: str
    finding: Finding

    def message(self, language: str) -> str:
        """Return the sentence of the finding."""
        return translate(CHECKS[self.finding.check].says, language) % self.finding.params


@dataclass(frozen=True, slots=True)
class KindFiles:
    """The contents of files of kinds without options, and the findings; unusable if `errors` is not empty."""

    items: int
    layouts: tuple[str, ...]
    found: tuple[Found, ...]
    statistics: Mapping[str, Mapping[str, object]]
    errors: tuple[RowError, ...]
    remarks: tuple[RowError, ...] = ()

    @property
    def contradict(self) -> bool:
        """Whether any record contradicts itself."""
        return any(one.finding.severity == ERROR for one in self.found)

    def as_json(self, language: str) -> dict[str, object]:
        """Return the result of the audit as JSON."""
        by_check: dict[str, list[str]] = {}
        for one in self.found:
            by_check.setdefault(one.finding.check, []).append(one.record)
        return {
            "items": self.items,
            "gates": [],
            "layouts": list(self.layouts),
            "item_checks": {check: list(dict.fromkeys(ids)) for check, ids in by_check.items()},
            "findings": [
                {
                    "file": one.file,
                    "row": one.row,
                    "id": one.record,
                    "field": one.finding.place,
                    "check": one.finding.check,
                    "severity": one.finding.severity,
                    "message": one.message(language),
                }
                for one in self.found
            ],
            "statistics": self.statistics,
        }


def audit_files(paths: Sequence[Path], layouts: Sequence[Layout[Any]]) -> KindFiles:
    """Return the findings and statistics of files.

    `layouts` has the layout of each file; files of one layout have common statistics.
    """
    errors: list[RowError] = []
    remarks: list[RowError] = []
    found: list[Found] = []
    records: dict[str, list[Any]] = {}
    for path, layout in zip(paths, layouts, strict=True):
        reading = read_layout(path, name=str(path), layout=layout)
        errors += reading.errors
        remarks += reading.remarks
        records.setdefault(layout.code, []).extend(reading.records)
        for row in reading.rows:
            name = str(layout.write(row.record)[layout.id_field])
            found += (Found(reading.name, row.row, name, one) for one in judge(row.record))
    statistics: dict[str, dict[str, object]] = {}
    for code, of_code in records.items():
        count = _COUNTED.get(type(of_code[0])) if of_code else None
        statistics[code] = asdict(count(of_code)) if count else {}
    return KindFiles(
        items=sum(map(len, records.values())),
        layouts=tuple(records),
        found=tuple(found),
        statistics=statistics,
        errors=tuple(errors),
        remarks=tuple(remarks),
    )


def lines(files: KindFiles, language: str) -> Iterator[str]:
    """Yield each finding with its file and row, then the counts and the statistics, as lines of text."""
    for one in files.found:
        place = {"file": one.file, "row": one.row, "field": f"{one.record}, {one.finding.place}"}
        severity = sentence(f"kinds_{one.finding.severity}", language)
        yield sentence("place", language) % place + f"{severity}: {one.message(language)}"
    severities = Counter(one.finding.severity for one in files.found)
    errors = severities[ERROR]
    counts = {"items": files.items, "errors": errors, "warnings": severities.total() - errors}
    yield sentence("kinds_found", language) % counts
    for code, figures in files.statistics.items():
        yield from (f"{code}: {name} = {_figure(value)}" for name, value in figures.items())


def _figure(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_figure(count)}" for name, count in value.items()) or "–"
    return figure(value) if isinstance(value, float) else str(value)
