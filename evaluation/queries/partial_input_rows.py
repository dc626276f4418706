"""Items with responses both to the whole item and to a part of it.

Importing this module loads NumPy and SciPy.
"""

from collections.abc import Iterator

from django.db.models import Count, Q

from evaluation.models import Response, Run
from parable.kinds import kind_of
from parable.psychometrics.results.partial_inputs import Asked
from release.models import ReleaseItem


def asked_both_ways(probe: Run, whole: Run) -> Iterator[Asked]:
    """Yield the items with responses in both runs.

    Each has the number of responses and of correct responses in either run.
    """
    came = [_counts(run) for run in (whole, probe)]
    both = came[0].keys() & came[1].keys()
    rows = ReleaseItem.objects.filter(pk__in=both).order_by("number")
    for pk, name, record in rows.values_list("pk", "public_id", "record").iterator():
        (whole_right, asked), (probe_right, probed) = (of[pk] for of in came)
        chance = kind_of(record["task"]).question.chance(record)
        story = str(record["story_id"] or record["story"])
        yield Asked(name, story, chance, whole_right, asked, probe_right, probed)


def _counts(run: Run) -> dict[int, tuple[int, int]]:
    """Return (correct answers, all answers) by item."""
    rows = Response.objects.filter(run=run).order_by().values_list("item")
    counted = rows.annotate(right=Count("pk", filter=Q(correct=True)), n=Count("pk"))
    return {item: (right, n) for item, right, n in counted.iterator()}
