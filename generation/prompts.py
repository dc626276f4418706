"""A filled prompt, and what a template should hold. Pure."""

from parable.llm.prompts import fill, unknown_variables, used_variables

NEEDS_A_STORY = ("story", "title")


def fill_prompt(template: str, *, title: str, story: str, moral: str, wanted: int) -> str:
    """The exact prompt of a template for a story."""
    return fill(template, {"title": title, "story": story, "moral": moral, "n": str(wanted)})


def needs_moral(template: str) -> bool:
    """Whether the template shows the moral, and so is of no use for a story that has none."""
    return "moral" in used_variables(template)


def speaks_of_a_story(template: str) -> bool:
    """Whether the template names any of what is the story's: else all stories get the same answer."""
    return bool(set(used_variables(template)) - {"n"})


def not_understood(template: str) -> tuple[str, ...]:
    """What looks like a variable but will be sent as it stands."""
    return unknown_variables(template)
