"""Scripts a Parable site: stories in, items in, reviews, releases and results out.

    from parable_client import Site

    with Site("https://parable.example", token="parable_...") as site:
        project = site.project("fables")
        project.add_stories([{"title": "The hare", "text": "...", "moral": "..."}])
        release = project.build_release("1.0.0", train_share="0", dev_share="0.2")
        release.download("fables-1.0.0")

Rows are dicts with the names that the programming interface has (docs/api.md). Lists are generators, which
ask for a page when they need one. A call that starts long work waits for it.
"""

from parable_client.rows import Claimed, Event, Item, Job, Row, Story
from parable_client.site import JobFailed, Project, Release, Site
from parable_client.transport import Problem, Unreachable

__all__ = [
    "Claimed",
    "Event",
    "Item",
    "Job",
    "JobFailed",
    "Problem",
    "Project",
    "Release",
    "Row",
    "Site",
    "Story",
    "Unreachable",
]
__version__ = "0.1.0"
