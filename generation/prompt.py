"""Filling of prompt templates, and checks of their variables. Pure."""

from parable.llm.prompts import fill, unknown_variables, used_variables

OF_A_STEM = ("stem", "key")
"""Variables that are filled in only in prompts about a stem."""


def fill_prompt(template: str, *, title: str, story: str, moral: str, wanted: int) -> str:
    """Return the exact prompt of a template for a story."""
    return fill(template, {"title": title, "story": story, "moral": moral, "n": str(wanted)})


def fill_stem_prompt(template: str, *, title: str, story: str, stem: str, key: str, wanted: int) -> str:
    """Return the exact prompt of a template for a stem being written, without the moral."""
    values = {"title": title, "story": story, "stem": stem, "key": key, "n": str(wanted)}
    return fill(template, values)


def needs_key(template: str) -> bool:
    """Return whether the template includes the key of the item."""
    return "key" in used_variables(template)


def needs_moral(template: str) -> bool:
    """Return whether the template includes the moral; if so, it cannot be used for a story without one."""
    return "moral" in used_variables(template)


def speaks_of_a_story(template: str) -> bool:
    """Return whether the template includes part of the story; if not, all stories get the same answer."""
    return bool(set(used_variables(template)) - {"n", *OF_A_STEM})


def speaks_of_a_stem(template: str) -> bool:
    """Return whether the template includes the stem; if not, all stems of a story get the same answer."""
    return "stem" in used_variables(template)


def not_understood(template: str, *, about_stem: bool = False) -> tuple[str, ...]:
    """Return the texts in braces that look like variables but are not, and so would be sent literally."""
    used = () if about_stem else used_variables(template)
    return (*unknown_variables(template), *(f"{{{name}}}" for name in used if name in OF_A_STEM))
