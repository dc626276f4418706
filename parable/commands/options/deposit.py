"""Options of `deposit`."""

import argparse

from parable.commands.options.datacite import add_creators
from parable.commands.options.of_several import add_json
from parable.sentences import LANGUAGES


def parser() -> argparse.ArgumentParser:
    """Return the parser of `deposit`."""
    made = argparse.ArgumentParser(
        prog="deposit",
        description="Deposit a release, its folder or archive, with Zenodo, which gives it a DOI. It"
        " stays a draft that only you see, for you to publish, unless --publish is given. Only files that its"
        " manifest lists are sent, and none if one of them was changed. The token is that of ZENODO_TOKEN, or"
        " is asked for. Leaves with 0, or 2 when it could not be finished; run it again to go on.",
    )
    add_creators(made)
    place = made.add_mutually_exclusive_group()
    place.add_argument("--sandbox", action="store_true", help="deposit with Zenodo's sandbox, for a try")
    place.add_argument("--endpoint", metavar="URL", help="another archive that speaks Zenodo's HTTP")
    made.add_argument("--publish", action="store_true", help="make it public for good, and register the DOI")
    made.add_argument("--dry-run", action="store_true", help="only say what would be sent; asks nobody")
    add_json(made)
    made.add_argument("--language", choices=LANGUAGES, default="en", help="of what it says (default: en)")
    return made
