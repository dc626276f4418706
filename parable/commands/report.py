"""An audit report as Markdown, and as one HTML page without external files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from parable.charts import INKS, STYLE, Chart
from parable.commands import pictures
from parable.commands.figures import checks_heading, facts, figures, number_found, rules
from parable.commands.results.numbers import figure
from parable.commands.wording import sentence
from parable.formats.records import ItemRecord
from parable.quality.gates import ERROR, GATES, OK, WARNING, GateResult, ItemSet
from parable.quality.item import CHECKS, RULES
from parable.quality.item.from_records import views_of
from parable.quality.item.sets import SetFindings
from parable.quality.phrases import Telling, telling_phrases
from parable.quality.story_groups import Pair, similar_pairs
from parable.sentences import translate

WORST_SHOWN: Final = 20
PAIRS_SHOWN: Final = 10
MOST_COMPARED: Final = 20_000
"""Maximum number of items that are compared with each other; of larger sets, only the first ones, to save
time.
"""

_INKS: Final = "".join(f"--{name}:light-dark({light},{dark});" for name, (light, dark) in INKS.items())
_STYLE: Final = (
    f"""
:root {{ color-scheme: light dark; {_INKS} }}
{STYLE}
"""
    """
body { font: 16px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; color: var(--ink); background: var(--sheet) }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
  border-bottom: 1px solid var(--hairline) }
.wide { overflow-x: auto } svg { max-width: 100%; height: auto }
.error { color: var(--wrong); font-weight: 600 } .warning { color: var(--careful); font-weight: 600 }
.not_applicable { color: var(--ink-3) }
@media (max-width: 40rem) {
  thead { display: none } tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--hairline) }
  tbody th { display: block } td { display: inline-block } th, td { border: 0; padding: 0 .6rem 0 0 }
}
"""
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report: a heading, a description, an optional plot, and lines."""

    heading: str
    about: str
    plot: Chart | None
    lines: tuple[str, ...] = ()
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Patterns:
    """What a report says about the texts of a set: phrases that give keys away, and items that are alike."""

    phrases: Sequence[Telling]
    alike: Sequence[Pair]


def find_patterns(items: ItemSet) -> Patterns:
    """Return the patterns of a set, which reports in several languages share."""
    compared = items.items[:MOST_COMPARED]
    alike = similar_pairs([" ".join((one.question, *one.choices)) for one in compared])
    return Patterns(telling_phrases(views_of(items.items)), alike)


def write_report(
    folder: Path,
    items: ItemSet,
    results: Sequence[GateResult],
    checked: SetFindings,
    language: str,
    more: Sequence[Section] = (),
    patterns: Patterns | None = None,
) -> list[Path]:
    """Write `audit.md` and `audit.html` to a folder, which is created if missing; return their paths.

    `more` follows the sections of the checks. `patterns` are found unless the caller
    has them. Raise OSError if the files cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sections = (*more, *_sections(items.items, results, patterns or find_patterns(items), language))
    pages = {
        "audit.md": markdown(items, results, checked, sections, language),
        "audit.html": html(items, results, checked, sections, language),
    }
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", errors="replace", newline="\n")
    return [folder / name for name in pages]


def _sections(
    items: Sequence[ItemRecord], results: Sequence[GateResult], patterns: Patterns, language: str
) -> tuple[Section, ...]:
    phrases, pairs = patterns.phrases, patterns.alike
    alike = tuple(
        f"{items[pair.first].id} – {items[pair.second].id}: {figure(pair.similarity, '.0%')}"
        for pair in pairs[:PAIRS_SHOWN]
    )
    counted = tuple(f"{one.phrase}: {one.keys}/{one.of_keys} – {one.wrong}/{one.of_wrong}" for one in phrases)
    plots: tuple[tuple[str, Chart | None, tuple[str, ...]], ...] = (
        ("lengths", pictures.length_plot(results, language), ()),
        ("positions", pictures.position_plot(results, language), ()),
        ("types", pictures.type_plot(results, language), ()),
        ("phrases", pictures.phrase_plot(phrases, language), counted),
        ("similarity", pictures.similarity_plot([pair.similarity for pair in pairs], language), alike),
    )
    return tuple(
        Section(
            sentence(name, language),
            sentence(f"{name}_about", language),
            plot,
            lines,
            sentence("no_phrases" if name == "phrases" else "none", language),
        )
        for name, plot, lines in plots
    )


def _said(items: ItemSet, results: Sequence[GateResult], language: str) -> tuple[str, str]:
    """Return the title of the report, and the sentence below it."""
    counts = {verdict: sum(one.verdict == verdict for one in results) for verdict in (ERROR, WARNING)}
    title = sentence("title", language) % {"items": len(items.items)}
    return title, sentence("about", language) % {"errors": counts[ERROR], "warnings": counts[WARNING]}


def _row(result: GateResult, language: str) -> tuple[str, str, str, str]:
    name = f"{translate(GATES[result.id].name, language)} ({result.id})"
    task = sentence(result.task, language) if result.task else ""
    return name, task, sentence(result.verdict, language), figures(result, language)


def _speaking(results: Sequence[GateResult]) -> list[GateResult]:
    """Return the results that are errors or warnings, errors first."""
    return sorted(
        (one for one in results if one.verdict in {ERROR, WARNING}), key=lambda one: one.verdict != ERROR
    )


def markdown(
    items: ItemSet,
    results: Sequence[GateResult],
    checked: SetFindings,
    sections: Sequence[Section],
    language: str,
) -> str:
    """Return the report as Markdown, with lines of text instead of plots."""
    return "\n".join(_markdown_lines(items, results, checked, sections, language)) + "\n"


def _markdown_lines(
    items: ItemSet,
    results: Sequence[GateResult],
    checked: SetFindings,
    sections: Sequence[Section],
    language: str,
) -> Iterator[str]:
    title, about = _said(items, results, language)
    heads = [sentence(name, language) for name in ("gate", "task", "verdict", "figure")]
    yield from (f"# {title}", "", about, "", "| " + " | ".join(heads) + " |", "|---|---|---|---|")
    for result in results:
        yield "| " + " | ".join(map(_cell, _row(result, language))) + " |"
    for result in _speaking(results):
        gate = GATES[result.id]
        name, task, verdict, found = _row(result, language)
        yield from ("", f"## {name}{', ' if task else ''}{task}: {verdict}", "", found, "")
        yield translate(gate.looks_at, language)
        if by := rules(result, language):
            yield f"- {_cell(sentence('rules', language) % {'rules': by})}"
        yield from (f"- {_cell(fact)}" for fact in facts(result, language))
        yield from (
            f"- {sentence(head, language)}: {translate(text, language)}" for head, text in _advice(result)
        )
        yield f"- {sentence('worst', language)}: {_cell(worst(result.items))}"
    yield from ("", f"## {checks_heading(checked, language)}", "")
    if checked.found:
        heads = [sentence(name, language) for name in CHECK_COLUMNS]
        yield from ("| " + " | ".join(heads) + " |", "|---|---|---|---|---|")
    for row in _check_rows(checked, language):
        yield "| " + " | ".join(map(_cell, row[1:])) + " |"
    for section in sections:
        if section.lines:
            yield from (
                "",
                f"## {section.heading}",
                "",
                _cell(section.about),
                "",
            )
            yield from (f"- {_cell(line)}" for line in section.lines)


def _advice(result: GateResult) -> tuple[tuple[str, str], ...]:
    gate = GATES[result.id]
    return ("why", gate.why), ("fix", gate.fix)


CHECK_COLUMNS: Final = ("check", "rule", "verdict", "items", "worst")


def _check_rows(checked: SetFindings, language: str) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield for each check its severity, name, rule, verdict, number of items, and first items."""
    for name, items in checked.found.items():
        severity = ERROR if name in checked.failed else WARNING
        label = f"{translate(CHECKS[name].name, language)} ({name})"
        verdict = sentence(severity, language)
        yield (
            severity,
            label,
            RULES.get(name, ""),
            verdict,
            number_found(checked, name).removeprefix("n = "),
            worst(items),
        )


def worst(items: Sequence[str]) -> str:
    """Return the first `WORST_SHOWN` ids as text, and the number of the other ids; “–” if there are none."""
    more = len(items) - WORST_SHOWN
    return ", ".join(items[:WORST_SHOWN]) + (f" (+{more})" if more > 0 else "") or "–"


def _cell(text: str) -> str:
    """Return a text on one line, with escapes for characters that end a Markdown cell or are markup."""
    for sign in ("\\", "|", "*", "_", "`", "<", "["):
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def html(
    items: ItemSet,
    results: Sequence[GateResult],
    checked: SetFindings,
    sections: Sequence[Section],
    language: str,
) -> str:
    """Return the report as one HTML page: no scripts, nothing external, all texts from files escaped."""
    title, about = _said(items, results, language)
    tag = "zh-Hans" if language == "zh" else "en"
    body = "\n".join(_html_parts(results, checked, sections, language))
    return (
        f'<!doctype html>\n<html lang="{tag}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n<p>{escape(about)}</p>\n{body}\n</body>\n</html>\n"
    )


def _html_parts(
    results: Sequence[GateResult], checked: SetFindings, sections: Sequence[Section], language: str
) -> Iterator[str]:
    heads = "".join(
        f'<th scope="col">{sentence(name, language)}</th>' for name in ("gate", "task", "verdict", "figure")
    )
    yield f'<div class="wide"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>'
    for result in results:
        name, task, verdict, found = map(escape, _row(result, language))
        mark = "" if result.verdict == OK else f' class="{result.verdict}"'
        yield f'<tr><th scope="row">{name}</th><td>{task}</td><td{mark}>{verdict}</td><td>{found}</td></tr>'
    yield "</tbody></table></div>"
    for result in _speaking(results):
        yield from _html_gate(result, language)
    yield from _html_checks(checked, language)
    for section in sections:
        yield f"<h2>{escape(section.heading)}</h2>\n<p>{escape(section.about)}</p>"
        if section.plot:
            yield f'<div class="wide">{section.plot}</div>'
        elif not section.lines:
            yield f"<p>{escape(section.empty)}</p>"
        if section.lines:
            yield "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in section.lines) + "</ul>"


def _html_checks(checked: SetFindings, language: str) -> Iterator[str]:
    yield f"<h2>{escape(checks_heading(checked, language))}</h2>"
    if not checked.found:
        yield f"<p>{sentence('none', language)}</p>"
        return
    heads = "".join(f'<th scope="col">{sentence(name, language)}</th>' for name in CHECK_COLUMNS)
    yield f'<div class="wide"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>'
    for severity, *cells in _check_rows(checked, language):
        name, rule, verdict, count, worst = map(escape, cells)
        yield (
            f'<tr><th scope="row">{name}</th><td>{rule}</td><td class="{severity}">{verdict}</td>'
            f"<td>{count}</td><td>{worst}</td></tr>"
        )
    yield "</tbody></table></div>"


def _html_gate(result: GateResult, language: str) -> Iterator[str]:
    name, task, verdict, found = map(escape, _row(result, language))
    yield f'<h2>{name}{", " if task else ""}{task}: <span class="{result.verdict}">{verdict}</span></h2>'
    yield f"<p>{escape(translate(GATES[result.id].looks_at, language))} {found}</p>\n<ul>"
    if by := rules(result, language):
        yield f"<li>{escape(sentence('rules', language) % {'rules': by})}</li>"
    yield from (f"<li>{escape(fact)}</li>" for fact in facts(result, language))
    for head, text in _advice(result):
        yield f"<li>{escape(sentence(head, language))}: {escape(translate(text, language))}</li>"
    yield f"<li>{escape(sentence('worst', language))}: {escape(worst(result.items))}</li></ul>"
