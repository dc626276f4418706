"""A filled prompt, and what a template should hold. Pure."""

from parable.llm.prompts import fill, unknown_variables, used_variables

OF_A_STEM = ("stem", "key")
"""What only a question about a stem fills in."""


def fill_prompt(template: str, *, title: str, story: str, moral: str, wanted: int) -> str:
    """The exact prompt of a template for a story."""
    return fill(template, {"title": title, "story": story, "moral": moral, "n": str(wanted)})


def fill_stem_prompt(template: str, *, title: str, story: str, stem: str, key: str, wanted: int) -> str:
    """The exact prompt of a template for a stem that is being written; the moral is no part of it."""
    values = {"title": title, "story": story, "stem": stem, "key": key, "n": str(wanted)}
    return fill(template, values)


def needs_key(template: str) -> bool:
    """Whether the template shows the key of the item."""
    return "key" in used_variables(template)


def needs_moral(template: str) -> bool:
    """Whether the template shows the moral, and so is of no use for a story that has none."""
    return "moral" in used_variables(template)


def speaks_of_a_story(template: str) -> bool:
    """Whether the template names any of what is the story's: else all stories get the same answer."""
    return bool(set(used_variables(template)) - {"n", *OF_A_STEM})


def speaks_of_a_stem(template: str) -> bool:
    """Whether the template names the stem: else all stems of a story get the same answer."""
    return "stem" in used_variables(template)


def not_understood(template: str, *, about_stem: bool = False) -> tuple[str, ...]:
    """What looks like a variable but will be sent as it is."""
    used = () if about_stem else used_variables(template)
    return (*unknown_variables(template), *(f"{{{name}}}" for name in used if name in OF_A_STEM))
