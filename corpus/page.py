"""Parses forms posted from the page of suggested story groups."""

from django.http import QueryDict

from core.numbers import whole_number


def posted_groups(data: QueryDict) -> list[tuple[set[int], set[int]]]:
    """Return a pair (ticked story ids, other story ids) for each group of the posted form.

    The posted values of `shown` are the ids of each group's stories, those of `story` the ticked ids. No
    story is in two groups.
    """
    ticked = {_row(value) for value in data.getlist("story")}
    shown = [{_row(value) for value in group.split()} for group in data.getlist("shown")]
    return [(group & ticked, group - ticked) for group in shown]


def _row(value: str) -> int:
    return whole_number(value) or 0  # no row has id 0
