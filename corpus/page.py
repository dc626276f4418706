"""What a page of suggested groups of stories says of them."""

from django.http import QueryDict

from core.numbers import whole_number


def groups_said(said: QueryDict) -> list[tuple[set[int], set[int]]]:
    """The groups as a page showed them: of each the stories that are ticked, and those that are not.

    `shown`: for each group the numbers of its stories; `story`: those that are ticked. No story is in two.
    """
    ticked = {_row(value) for value in said.getlist("story")}
    shown = [{_row(value) for value in group.split()} for group in said.getlist("shown")]
    return [(group & ticked, group - ticked) for group in shown]


def _row(value: str) -> int:
    return whole_number(value) or 0  # no row has 0
