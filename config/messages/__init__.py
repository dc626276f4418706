"""What pages say, collected from the sources and translated, without GNU gettext.

`python -m config.messages extract` collects, `compile` makes what Django reads, `check` finds
what is not translated and what was never marked. Compiled files are made where they are missing
or old, by `manage.py` and by the tests; they are not kept in the repository.
"""

from __future__ import annotations

import contextlib
from itertools import product
from pathlib import Path

BASE = Path(__file__).resolve().parent.parent.parent
LANGUAGES = ("zh_Hans",)
"""Languages beside English, in which the sources are written."""
SITE, PLAIN = FOLDERS = ("locale", "parable/locale")
"""Where catalogues lie. The second has what is translated without Django, see `parable.sentences`; the site
reads both, so that no sentence is in both."""


def catalogue_path(language: str, base: Path = BASE, folder: str = SITE) -> Path:
    """Return the path of the file that people translate in."""
    return base / folder / language / "LC_MESSAGES" / "django.po"


def compile_stale(base: Path = BASE) -> None:
    """Compile each catalogue whose compiled file is missing or older."""
    for folder, language in product(FOLDERS, LANGUAGES):
        source = catalogue_path(language, base, folder)
        target = source.with_suffix(".mo")
        if not source.exists() or (target.exists() and target.stat().st_mtime >= source.stat().st_mtime):
            continue
        from config.messages.catalogues import compile_catalogue  # slow, and mostly not needed

        # Where the folder is not ours to write, the image or its owner has compiled it.
        with contextlib.suppress(PermissionError):
            compile_catalogue(source, target, language)
