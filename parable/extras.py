"""Packages that some of the work needs and an installation may lack: the extras of the distribution."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from parable.sentences import gettext_noop, translate

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "agreement": ("krippendorff",),
        "models": ("openai", "httpx2"),
        "parquet": ("pyarrow",),
        "xlsx": ("openpyxl",),
        "zstandard": ("zstandard",),
    }
)
"""What each extra of pyproject.toml brings, by the names that are imported."""
MISSING: Final = gettext_noop(
    'This needs the package {package}, which is not installed here: pip install "parable[{extra}]"'
)


class PackageMissingError(Exception):
    """An extra is not installed; its words name the package and how to have it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self._names = {"package": package, "extra": extra}

    def __str__(self) -> str:
        return self.in_language("en")

    def in_language(self, language: str) -> str:
        """Return the sentence in one of `LANGUAGES`."""
        return translate(MISSING, language).format(**self._names)


def require(extra: str) -> None:
    """Go on where the packages of an extra are installed; else raise PackageMissingError. Imports none."""
    for package in EXTRAS[extra]:
        if find_spec(package) is None:
            raise PackageMissingError(package, extra)
