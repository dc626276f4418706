"""Extracts, compiles and checks translations, without GNU gettext.

`python -m config.messages extract` collects messages, `compile` writes the files that Django reads, `check`
finds untranslated and unmarked text. `manage.py` and the tests compile missing or outdated files; compiled
files are not committed.
"""

from __future__ import annotations

import errno
from itertools import product
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent.parent
LANGUAGES = ("zh_Hans",)
"""The languages of the translations. The messages in the sources are English."""
SITE, PLAIN = FOLDERS = ("locale", "parable/locale")
"""The folders of catalogues: of the site, and of messages that are translated without Django.

For the second, see `parable.sentences`. The site reads both, so that no sentence is in both.
"""


def catalogue_path(language: str, base: Path = BASE, folder: str = SITE) -> Path:
    """Return the path of the editable file (.po) of a catalogue."""
    return base / folder / language / "LC_MESSAGES" / "django.po"


def compile_stale(base: Path = BASE) -> None:
    """Compile all catalogues whose compiled file is missing or out of date."""
    for folder, language in product(FOLDERS, LANGUAGES):
        source = catalogue_path(language, base, folder)
        target = source.with_suffix(".mo")
        if not source.exists() or (target.exists() and target.stat().st_mtime >= source.stat().st_mtime):
            continue
        from config.messages.catalogues import compile_catalogue  # slow, and mostly not needed

        try:
            compile_catalogue(source, target, language)
        except OSError as error:
            # If the folder is not writable, its owner, or the build of the image, has compiled the files.
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
