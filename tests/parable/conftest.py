"""The package knows no site: its tests leave neither a cache nor an open line behind."""

from __future__ import annotations

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _as_found() -> None:
    """Begin in the site's language, in place of the fixture that also looks into the cache at the end."""
    translation.deactivate()
