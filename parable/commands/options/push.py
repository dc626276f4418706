"""Options of `push`."""

import argparse
from pathlib import Path

from parable.commands.options.of_several import add_json
from parable.sentences import LANGUAGES


def parser() -> argparse.ArgumentParser:
    """Return the parser of `push`."""
    made = argparse.ArgumentParser(
        prog="push",
        description="Put a release, its folder or archive, on a hub of data sets: one commit with a tag"
        " for the version. Only files that its manifest lists are sent, and none if one of them was changed."
        " The token is that of HF_TOKEN, or of `hf auth login`. Leaves with 0, or 2 when nothing was sent.",
    )
    made.add_argument(
        "folder", type=Path, metavar="RELEASE_DIR", help="the folder of the release, or its archive (ZIP)"
    )
    made.add_argument("--repo", required=True, metavar="OWNER/NAME", help="the data set on the hub")
    made.add_argument("--endpoint", metavar="URL", help="another hub (default: HF_ENDPOINT, or the Hub)")
    made.add_argument(
        "--public", action="store_true", help="make a new data set public (default: only its owner sees it)"
    )
    made.add_argument("--dry-run", action="store_true", help="only say what would be sent; asks nobody")
    add_json(made)
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    return made
