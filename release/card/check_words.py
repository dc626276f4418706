"""Sentences of the data card since layout 8, by name, on checks and on items that were taken out of use.

The English sentences are those of before. Their translations have changed with the words of the site.
"""

from collections.abc import Mapping
from typing import Final

from parable.sentences import pgettext_noop

WORDS: Final[Mapping[str, str]] = {
    "gates": pgettext_noop("data card 8", "Gates"),
    "gate": pgettext_noop("data card 8", "Gate"),
    "allowed": pgettext_noop("data card 8", "A manager overrode these gates: {gates}. Reason: {reason}"),
    "since_about": pgettext_noop(
        "data card 8",
        "This release extends {version}: kept items keep their ID, split and option positions. {same}"
        " unchanged, {mended} fixed, {retired} retired, {held_back} excluded, {returned} restored,"
        " {added} new.",
    ),
    "change_retired": pgettext_noop("data card 8", "retired"),
    "rai_maintenance": pgettext_noop(
        "data card 8",
        "A release never changes. Items with errors are fixed or retired in a later version, which"
        " lists them.",
    ),
    "rai_biases": pgettext_noop("data card 8", "Gates that warned or failed: {gates}."),
    "rai_no_biases": pgettext_noop("data card 8", "No gate warned or failed."),
}
