"""Fills prompt templates, which have a few variables in braces and no template language."""

from __future__ import annotations

import re
from collections.abc import Mapping

VARIABLES = ("title", "story", "moral", "n", "stem", "key")

_VARIABLE = re.compile(r"\{(" + "|".join(VARIABLES) + r")\}")
# Text that may be meant as a variable: one short word in braces of either width, possibly with
# blanks, doubled braces or attribute access. JSON and prose in braces do not match.
_LOOKALIKE = re.compile(r"[{｛]{1,2}[ \t]{0,3}[\w.|:!\[\]%-]{1,40}[ \t]{0,3}[}｝]{1,2}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with {title} {story} {moral} {n} {stem} {key} replaced by their values in one pass.

    Values are not searched for variables, so a story that contains "{moral}" is inserted unchanged. A
    variable without a value stays as it is; `used_variables` lists the variables that a template needs.
    """
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), template)


def used_variables(template: str) -> tuple[str, ...]:
    """Return the names of the variables in the template, each once, in order of first use."""
    return tuple(dict.fromkeys(match[1] for match in _VARIABLE.finditer(template)))


def unknown_variables(template: str) -> tuple[str, ...]:
    """Return the texts that look like variables but are unknown, to warn the author."""
    found = (match[0] for match in _LOOKALIKE.finditer(template))
    return tuple(dict.fromkeys(text for text in found if not _VARIABLE.search(text)))
