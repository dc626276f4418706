"""A site, its projects and their releases."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast

from parable_client.rows import Claimed, Event, Item, Job, Row, Story
from parable_client.transport import Problem, Transport

MOST_ROWS: Final = 1000
"""The most rows that one request creates; longer lists are sent in several."""
ENDED: Final = frozenset({"done", "failed", "cancelled"})
ASK_EVERY: Final = 1.0
"""Seconds between two questions how far a job is; twice as long each time, up to `ASK_AT_LEAST_EVERY`."""
ASK_AT_LEAST_EVERY: Final = 15.0

Progress = Callable[[Job], object]


class JobFailed(Exception):
    """Raised if long work did not end well; `job` says why."""

    def __init__(self, job: Job, reason: str = "") -> None:
        super().__init__(reason or job["reason"] or f"{job['title']}: {job['state']}")
        self.job = job


class Site:
    """A Parable site, as the user of an access token.

    Without arguments, the environment's `PARABLE_URL` and `PARABLE_TOKEN` are taken.
    """

    def __init__(self, url: str | None = None, token: str | None = None, **options: Any) -> None:
        url = url or os.environ.get("PARABLE_URL", "")
        token = token or os.environ.get("PARABLE_TOKEN", "")
        if not url or not token:
            raise ValueError("Name the site and an access token, or set PARABLE_URL and PARABLE_TOKEN.")
        self.http = Transport(url, token, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def me(self) -> Row:
        """Return the user, and the token with its scopes."""
        return cast("Row", self.http.get("me/"))

    def projects(self, *, archived: bool | None = None) -> Iterator[Row]:
        """Yield the projects of the user."""
        return self.http.pages("projects/", archived=archived)

    def project(self, slug: str) -> Project:
        """Return the project with this short name; it is asked for when something of it is."""
        return Project(self.http, slug)

    def create_project(self, slug: str, name: str, language: str, **settings: Any) -> Project:
        """Create a project, with the user as its manager."""
        sent = {"slug": slug, "name": name, "language": language, "settings": settings}
        self.http.send("POST", "projects/", sent)
        return Project(self.http, slug)


class Project:
    """A project of a site."""

    def __init__(self, http: Transport, slug: str) -> None:
        self.http, self.slug = http, slug
        self._root = f"projects/{slug}/"

    # --- what goes in ---

    def add_stories(self, stories: Iterable[Mapping[str, Any]]) -> list[Row]:
        """Import stories, each with `text` and perhaps `id`, `title`, `moral`, `genre`; return the reports.

        A thousand at a time: either all of them are imported or none. A known story is not created again.
        """
        return [
            self.http.send("POST", f"{self._root}stories/", {"stories": part}) for part in _parts(stories)
        ]

    def add_items(
        self, items: Iterable[Mapping[str, Any]], *, state: str = "in_review", writer: str = "Imported"
    ) -> list[Row]:
        """Import items in the form of Parable JSONL as a manager; return the reports.

        `state` is "draft", "in_review" or "verified".
        """
        sent = {"state": state, "writer": writer}
        return [
            self.http.send("POST", f"{self._root}items/", {**sent, "items": part}) for part in _parts(items)
        ]

    def submit(self, story: int, task: str, content: Mapping[str, Any], *, style: str = "human") -> Row:
        """Write an item about a story as the user, and send it to review; return the item."""
        sent = {"story": story, "task": task, "style": style, "content": dict(content)}
        return cast("Row", self.http.send("POST", f"{self._root}items/", sent))

    # --- what is there ---

    def stories(self, **filters: Any) -> Iterator[Story]:
        """Yield the stories, newest first; filters: `q`, `ref`, `language`, `genre`, `group`."""
        return cast("Iterator[Story]", self.http.pages(f"{self._root}stories/", **filters))

    def items(self, **filters: Any) -> Iterator[Item]:
        """Yield the items that the user may see, newest first; filters: `state`, `task`, `style`, `story`."""
        return cast("Iterator[Item]", self.http.pages(f"{self._root}items/", **filters))

    def item(self, pk: int) -> Row:
        """Return an item with its options and key; the site records that the user has seen it."""
        return cast("Row", self.http.get(f"{self._root}items/{pk}/"))

    def releases(self) -> Iterator[Row]:
        """Yield the releases, newest first."""
        return self.http.pages(f"{self._root}releases/")

    def release(self, version: str) -> Release:
        """Return the release with this version."""
        return Release(self, version)

    def list(self, noun: str, **filters: Any) -> Iterator[Row]:
        """Yield the rows of any other list, by its name in an address: "members", "runs", ..."""
        return self.http.pages(f"{self._root}{noun}/", **filters)

    def events(self, after: int | None = None) -> Iterator[Event]:
        """Yield what has happened, oldest first, after the event with this id."""
        return cast("Iterator[Event]", self.http.pages(f"{self._root}events/", after=after))

    # --- review ---

    def claim(self, stage: str = "cross_check") -> Claimed | None:
        """Claim the next request of the queue, and return it; None if there is none."""
        return cast("Claimed | None", self.http.send("POST", f"{self._root}queue/{stage}/claim/"))

    def answer(self, request: str, **answer: Any) -> Row:
        """Answer a claimed item: `answer="option", position=2`, `answer="none_fits"`, ...; return its key."""
        return cast("Row", self.http.send("POST", f"{self._root}requests/{request}/answer/", answer))

    def verdict(self, request: str, disposition: str, **verdict: Any) -> Row:
        """Give the verdict on an answered item: "pass", "return", "reject", with `rating` and `comment`."""
        sent = {"disposition": disposition, **verdict}
        return cast("Row", self.http.send("POST", f"{self._root}requests/{request}/verdict/", sent))

    # --- long work ---

    def start(self, noun: str, *, key: str | None = None, **order: Any) -> Row:
        """Order long work by its name in an address ("batches", "runs", ...); return its job and id.

        With a `key`, such as the id of the event that woke the script, it is ordered once, however often the
        script is woken.
        """
        return cast("Row", self.http.send("POST", f"{self._root}{noun}/", order, key=key))

    def wait(self, job: int, progress: Progress | None = None) -> Job:
        """Wait until a job has ended, and return it; `progress` is called with it each time it is looked at.

        Raise `JobFailed` unless it is done.
        """
        pause = ASK_EVERY
        while True:
            found = cast("Job", self.http.get(f"jobs/{job}/"))
            if progress:
                progress(found)
            if found["state"] in ENDED:
                break
            time.sleep(pause)
            pause = min(2 * pause, ASK_AT_LEAST_EVERY)
        if found["state"] != "done":
            raise JobFailed(found)
        return found

    def build_release(
        self,
        version: str,
        *,
        wait: bool = True,
        progress: Progress | None = None,
        key: str | None = None,
        **options: Any,
    ) -> Release:
        """Build a release with these options of its recipe, and return it. For `key`, see `start`."""
        made = self.start("releases", key=key, version=version, **options)
        release = Release(self, version)
        if wait:
            try:
                self.wait(made["job"], progress)
            except JobFailed as failed:  # such as a gate that was not passed
                raise JobFailed(failed.job, release.why()) from failed
        return release


class Release:
    """A release of a project."""

    def __init__(self, project: Project, version: str) -> None:
        self.project, self.version = project, version
        self._http = project.http
        self._root = f"projects/{project.slug}/releases/{version}/"

    def row(self) -> Row:
        """Return the release: its state, counts and, for managers, its recipe."""
        return cast("Row", self._http.get(self._root))

    def why(self) -> str:
        """Return why the release failed or was withdrawn, with the gates that it did not pass; else ""."""
        reason = str(self.row()["reason"])
        failed = [one["name"] for one in self._http.pages(f"{self._root}gates/") if one["verdict"] == "error"]
        return "; ".join(filter(None, [reason, *dict.fromkeys(failed)]))

    def files(self) -> Iterator[Row]:
        """Yield the files of the release, with their SHA-256 and size."""
        return self._http.pages(f"{self._root}files/")

    def download(self, folder: str | Path, names: Collection[str] = ()) -> list[Path]:
        """Write the files of the release into a folder, or those with these names; return their paths."""
        written = []
        for file in self.files():
            if names and file["name"] not in names:
                continue
            target = (Path(folder) / file["name"]).resolve()
            if not target.is_relative_to(Path(folder).resolve()):
                raise Problem(0, {"detail": f"{file['name']} is not the name of a file in a folder."})
            target.parent.mkdir(parents=True, exist_ok=True)
            written.append(self._http.download(file["url"], target))
        return written

    def import_responses(self, file: str | Path, *, progress: Progress | None = None) -> Row:
        """Import a file of responses, or the log of a tool; return it with its runs and problems."""
        root = f"projects/{self.project.slug}/response-files/"
        made = self._http.upload(root, file, release=self.version)
        self.project.wait(made["job"], progress)
        return cast("Row", self._http.get(f"{root}{made['id']}/"))

    def run(self, endpoint: int, *, progress: Progress | None = None, **options: Any) -> Row:
        """Ask the model of an endpoint every item, and return the run."""
        made = self.project.start("runs", release=self.version, endpoint=endpoint, **options)
        self.project.wait(made["job"], progress)
        return cast("Row", self._http.get(f"projects/{self.project.slug}/runs/{made['id']}/"))

    def results(self, runs: Sequence[int], *, progress: Progress | None = None) -> dict[str, Row]:
        """Compute the result tables of runs, and return them by name."""
        made = self.project.start("results", release=self.version, runs=[*runs])
        self.project.wait(made["job"], progress)
        root = f"projects/{self.project.slug}/results/{made['id']}/"
        names: list[str] = self._http.get(root)["table_codes"]
        return {name: self._http.get(f"{root}table/{name}/") for name in names}


def _parts(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    remaining = iter(rows)
    while part := [dict(row) for row in islice(remaining, MOST_ROWS)]:
        yield part
