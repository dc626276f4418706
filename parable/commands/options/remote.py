"""Options of `remote`."""

import argparse
from pathlib import Path

from parable.sentences import LANGUAGES


def parser() -> argparse.ArgumentParser:
    """Return the parser of `remote`."""
    made = argparse.ArgumentParser(
        prog="remote",
        description="Do on a Parable site what its programming interface offers, with one's own"
        " access token in PARABLE_TOKEN. Prints rows as JSON, one a line, and progress on the error output."
        " Leaves with 0, or 2 when the site refused or could not be reached.",
    )
    made.add_argument("--url", metavar="URL", help="the site (default: PARABLE_URL)")
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    actions = made.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("projects", help="list the projects of the token's owner")
    listed = actions.add_parser("list", help="print the rows of any list of a project")
    listed.add_argument("project", metavar="PROJECT", help="its short name")
    listed.add_argument("noun", metavar="LIST", help="items, stories, runs, releases, members, ...")
    listed.add_argument("values", nargs="*", metavar="NAME=VALUE", help="filters")
    for name, what in (("stories", "stories"), ("items", "items")):
        sent = actions.add_parser(name, help=f"import {what} from a file with one JSON object a line")
        sent.add_argument("project", metavar="PROJECT")
        sent.add_argument("file", type=Path, metavar="FILE")
        if name == "items":
            sent.add_argument("--state", default="in_review", choices=("draft", "in_review", "verified"))
    start = actions.add_parser("start", help="order long work (batches, runs, ...) and wait for its end")
    start.add_argument("project", metavar="PROJECT")
    start.add_argument("noun", metavar="LIST")
    start.add_argument("values", nargs="*", metavar="NAME=VALUE", help="JSON, or plain text")
    build = actions.add_parser("release", help="build a release and wait for its end")
    build.add_argument("project", metavar="PROJECT")
    build.add_argument("version", metavar="VERSION")
    build.add_argument("values", nargs="*", metavar="NAME=VALUE", help="options of the release")
    download = actions.add_parser("download", help="write the files of a release into a folder")
    download.add_argument("project", metavar="PROJECT")
    download.add_argument("version", metavar="VERSION")
    download.add_argument("folder", type=Path, metavar="FOLDER")
    responses = actions.add_parser("responses", help="import a file of responses, or the log of a tool")
    responses.add_argument("project", metavar="PROJECT")
    responses.add_argument("version", metavar="VERSION")
    responses.add_argument("file", type=Path, metavar="FILE")
    return made
