"""A gate's figures in words, as a line of a terminal and a cell of a report say them."""

from parable.commands.results.numbers import figure
from parable.commands.wording import sentence
from parable.quality.gates import GATES, GateResult
from parable.quality.item.sets import SetFindings
from parable.sentences import translate


def figures(result: GateResult, language: str) -> str:
    """Figure, interval, threshold and number of items in words."""
    many = _looked_at(result, language)
    if result.figure is None:
        return many
    if result.low is None or result.high is None:
        return f"{result.figure}, {many}"
    found = f"{figure(result.figure, '.1%')}, 95 % {figure(result.low, '.1%')} – {figure(result.high, '.1%')}"
    if result.threshold is not None:
        found += ", " + sentence("past", language) % {"threshold": figure(result.threshold, ".1%")}
    return f"{found}, {many}"


def _looked_at(result: GateResult, language: str) -> str:
    """Return how many items were checked and, for a sample, of how many, as text."""
    drawn_of = result.detail.get("sample_of")
    if drawn_of is None:
        return f"n = {result.looked_at}"
    return sentence("sample", language) % {"n": result.looked_at, "of": drawn_of}


def checks_heading(found: SetFindings, language: str) -> str:
    """Return how many items were held to the checks of single items, and how many to some of them alone."""
    heading = "checks_sampled" if found.is_sample else "checks"
    message = sentence(heading, language) % {"looked_at": found.looked_at, "items": found.items}
    return f"{message} {sentence('unread', language) % {'n': found.unread}}" if found.unread else message


def number_found(found: SetFindings, check: str) -> str:
    """Return how many items a check named and, for a sample, their share with its interval, as text."""
    number = f"n = {len(found.found[check])}"
    share = found.share(check)
    return number if share is None else "{}, {:.1%}, 95 % {:.1%} – {:.1%}".format(number, *share)


def rules(result: GateResult, language: str) -> str:
    """Return the decision rules of a test as text, or "" if it has none."""
    found = GATES[result.id].rules_found(result.detail, lambda words: translate(words, language))
    return "; ".join(found)


def facts(result: GateResult, language: str) -> list[str]:
    """Return a gate's further findings besides its figure, as sentences."""
    return GATES[result.id].facts(result.detail, lambda words: translate(words, language))
