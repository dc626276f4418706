"""A gate's figures in words, as a line of a terminal and a cell of a report say them."""

from parable.commands.wording import sentence
from parable.quality.gates import GateResult


def figures(result: GateResult, language: str) -> str:
    """Figure, interval, threshold and number of items in words."""
    if result.figure is None:
        return f"n = {result.looked_at}"
    if result.low is None or result.high is None:
        return f"{result.figure}, n = {result.looked_at}"
    found = f"{result.figure:.1%}, 95 % {result.low:.1%} – {result.high:.1%}"
    if result.threshold is not None:
        found += ", " + sentence("past", language) % {"threshold": f"{result.threshold:.1%}"}
    return f"{found}, n = {result.looked_at}"
