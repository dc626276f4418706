"""Formats figures of gates and checks as text for terminals and reports."""

from parable.commands.results.numbers import figure
from parable.commands.wording import sentence
from parable.quality.gates import GATES, GateResult
from parable.quality.item.sets import SetFindings
from parable.sentences import translate


def figures(result: GateResult, language: str) -> str:
    """Return figure, interval, threshold and number of items of a result as text."""
    many = f"n = {result.looked_at}"
    if (drawn_of := result.detail.get("sample_of")) is not None:
        many = sentence("sample", language) % {"n": result.looked_at, "of": drawn_of}
    if result.figure is None:
        return many
    if result.low is None or result.high is None:
        return f"{result.figure}, {many}"
    found = f"{figure(result.figure, '.1%')}, 95 % {figure(result.low, '.1%')} – {figure(result.high, '.1%')}"
    if result.threshold is not None:
        found += ", " + sentence("past", language) % {"threshold": figure(result.threshold, ".1%")}
    return f"{found}, {many}"


def checks_heading(found: SetFindings, language: str) -> str:
    """Return a heading with the number of items that the single-item checks read.

    It also says for how many items some checks do not apply, because of their language.
    """
    heading = "checks_sampled" if found.is_sample else "checks"
    message = sentence(heading, language) % {"looked_at": found.looked_at, "items": found.items}
    return f"{message} {sentence('unread', language) % {'n': found.unread}}" if found.unread else message


def number_found(found: SetFindings, check: str) -> str:
    """Return as text how many items a check found faulty and, for a sample, their share with its interval."""
    number = f"n = {len(found.found[check])}"
    share = found.share(check)
    return number if share is None else "{}, {:.1%}, 95 % {:.1%} – {:.1%}".format(number, *share)


def rules(result: GateResult, language: str) -> str:
    """Return the guessing rules behind a gate's warning or failure, as text; "" if there are none."""
    found = GATES[result.id].rules_found(result.detail, lambda words: translate(words, language))
    return "; ".join(found)


def facts(result: GateResult, language: str) -> list[str]:
    """Return sentences that explain a gate's result beyond its figure."""
    return GATES[result.id].facts(result.detail, lambda words: translate(words, language))
