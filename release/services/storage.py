"""Storage of files under the hash of their content. They are written atomically and never changed."""

import hashlib

from django.core.files.base import ContentFile

from release.queries.file import stored_at


def keep(content: bytes) -> str:
    """Store the content and return its SHA-256. Safe to call twice, even in two workers at once."""
    sha256 = hashlib.sha256(content).hexdigest()
    file = stored_at(sha256)
    if not file.is_whole():
        file.storage.replace(file.name, ContentFile(content))
    return sha256
