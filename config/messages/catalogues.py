"""Updates, checks and compiles the catalogues of translations."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from io import BytesIO
from itertools import product
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from config.messages import BASE, FOLDERS, LANGUAGES, PLAIN, SITE, catalogue_path
from config.messages.extraction import collect

_FORMAT = re.compile(r"%(?! )")
_WITHOUT_DJANGO = ("parable/", "release/card/")


def update(base: Path = BASE) -> list[Path]:
    """Update all catalogues from the sources; return the files that changed.

    Translations stay, obsolete messages are dropped, and no fuzzy matches are made.
    """
    texts = {}
    for (folder, wanted), language in product(_from_sources(base).items(), LANGUAGES):
        path = catalogue_path(language, base, folder)
        if wanted or path.exists():
            known = _known(language, base, folder)
            known.update(wanted, no_fuzzy_matching=True, update_header_comment=False)
            known.obsolete.clear()
            texts[path] = _as_text(known)
    changed = []
    for path, text in texts.items():
        if not path.exists() or path.read_bytes() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            changed.append(path)
    return changed


def faults(base: Path = BASE) -> Iterator[str]:
    """Yield a line about each message that is missing, untranslated, fuzzy or malformed in a catalogue."""
    for (folder, wanted), language in product(_from_sources(base).items(), LANGUAGES):
        known = _with_flags(_read(catalogue_path(language, base, folder), language))
        for message in _messages(wanted):
            translated = known.get(message.id, message.context)
            if translated is None:
                yield f"{language}: not yet collected (make messages): {_shown(message)}"
            elif translated.fuzzy or not _complete(translated, known.num_plurals):
                yield f"{language}: not translated: {_shown(message)}"
        for message, errors in known.check():
            yield f"{language}: {errors[0]}: {_shown(message)}"


def _from_sources(base: Path) -> dict[str, Catalog]:
    """Return a catalogue with the messages that it must have, by folder."""
    found = [one for one in collect(base) if one.texts[0]]
    plain = {(one.context, one.texts) for one in found if one.path.startswith(_WITHOUT_DJANGO)}
    catalogues = {folder: Catalog(charset="utf-8") for folder in FOLDERS}
    for one in found:
        catalogues[PLAIN if (one.context, one.texts) in plain else SITE].add(
            one.texts if len(one.texts) > 1 else one.texts[0],
            context=one.context,
            locations=[(one.path, 0)],
            auto_comments=one.comments,
        )
    return catalogues


def _known(language: str, base: Path, folder: str) -> Catalog:
    """Return a catalogue, with translations added from the other one in case messages have moved."""
    known = _read(catalogue_path(language, base, folder), language)
    for other in FOLDERS:
        for message in _messages(_read(catalogue_path(language, base, other), language)):
            here = known.get(message.id, message.context)
            if here is None or not _complete(here, known.num_plurals):
                known.delete(message.id, message.context)
                known[message.id] = message
    return known


def _read(path: Path, language: str) -> Catalog:
    if not path.exists():
        return Catalog(locale=language, charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def _with_flags(catalogue: Catalog) -> Catalog:
    """Remove Babel's format flag from messages with a literal per cent sign, such as “95 % interval”."""
    for message in _messages(catalogue):
        if isinstance(message.id, str) and not _FORMAT.search(message.id):
            message.flags.discard("python-format")
    return catalogue


def _messages(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]


def _complete(message: Message, plurals: int) -> bool:
    texts = message.string if isinstance(message.string, tuple | list) else (message.string,)
    wanted = plurals if isinstance(message.id, tuple | list) else 1
    return len(texts) == wanted and all(texts)


def _shown(message: Message) -> str:
    text = message.id[0] if isinstance(message.id, tuple | list) else message.id
    where = ", ".join(sorted({path for path, _line in message.locations}))
    return f"{text!r} ({where})" if where else repr(text)


def _as_text(catalogue: Catalog) -> bytes:
    catalogue.header_comment = (
        "# What Parable says. Collected by `make messages`; translate below each msgid."
    )
    catalogue.project, catalogue.version, catalogue.fuzzy = "Parable", "", False
    file = BytesIO()
    write_po(file, _with_flags(catalogue), width=100, include_lineno=False, sort_by_file=True)
    dated = (b'"POT-Creation-Date', b'"PO-Revision-Date', b'"Generated-By')
    lines = file.getvalue().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(dated))


def compile_catalogue(source: Path, target: Path, language: str) -> None:
    """Compile a catalogue. The target is replaced atomically, since another process may be reading it."""
    descriptor, draft = tempfile.mkstemp(dir=target.parent, suffix=".mo.new")
    try:
        with os.fdopen(descriptor, "wb") as file:
            write_mo(file, _read(source, language))
        Path(draft).chmod(0o644)
        Path(draft).replace(target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
