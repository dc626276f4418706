"""Parsing of the forms posted from the page of suggested groups."""

from django.http import QueryDict

from core.numbers import whole_number


def posted_groups(data: QueryDict) -> list[tuple[set[int], set[int]]]:
    """Return (ticked stories, other stories) for each posted group.

    The posted `shown` lists the ids of each group's stories, `story` the ticked ones. No story is in two
    groups.
    """
    ticked = {_row(value) for value in data.getlist("story")}
    shown = [{_row(value) for value in group.split()} for group in data.getlist("shown")]
    return [(group & ticked, group - ticked) for group in shown]


def _row(value: str) -> int:
    return whole_number(value) or 0  # no row has id 0
