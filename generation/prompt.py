"""Filling of prompt templates, and checks of their variables. Pure."""

from parable.llm.prompts import fill, unknown_variables, used_variables

OF_A_STEM = ("stem", "key")
"""The variables that are filled in only in prompts about a stem."""


def fill_prompt(template: str, *, title: str, story: str, moral: str, wanted: int) -> str:
    """Return the prompt of a template for a story, exactly as it is sent."""
    return fill(template, {"title": title, "story": story, "moral": moral, "n": str(wanted)})


def fill_stem_prompt(template: str, *, title: str, story: str, stem: str, key: str, wanted: int) -> str:
    """Return the prompt of a template for a stem, exactly as it is sent. It never has the moral."""
    values = {"title": title, "story": story, "stem": stem, "key": key, "n": str(wanted)}
    return fill(template, values)


def needs_key(template: str) -> bool:
    """Return whether the template includes the item's key."""
    return "key" in used_variables(template)


def needs_moral(template: str) -> bool:
    """Return whether the template includes the moral. If so, it needs a story that has one."""
    return "moral" in used_variables(template)


def speaks_of_a_story(template: str) -> bool:
    """Return whether the template includes a part of the story. If not, all stories give the same prompt."""
    return bool(set(used_variables(template)) - {"n", *OF_A_STEM})


def speaks_of_a_stem(template: str) -> bool:
    """Return whether the template includes the stem. If not, all stems about a story give the same prompt."""
    return "stem" in used_variables(template)


def not_understood(template: str, *, about_stem: bool = False) -> tuple[str, ...]:
    """Return the texts in braces that are not variables for this purpose, and so are sent as they are."""
    used = () if about_stem else used_variables(template)
    return (*unknown_variables(template), *(f"{{{name}}}" for name in used if name in OF_A_STEM))
