"""Optional packages that some functions need: the extras of the distribution."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from parable.sentences import gettext_noop, translate

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "hub": ("huggingface_hub",),
        "models": ("openai", "httpx2"),
        "parquet": ("pyarrow",),
        "xlsx": ("openpyxl",),
        "yaml": ("yaml",),
        "zstandard": ("zstandard",),
    }
)
"""The packages of each extra in pyproject.toml, by the names under which they are imported."""
MISSING: Final = gettext_noop(
    'This needs the package {package}, which is not installed here: pip install "parable[{extra}]"'
)


class PackageMissingError(Exception):
    """Raised if an extra is not installed; the message names the package and how to install it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self._names = {"package": package, "extra": extra}

    def __str__(self) -> str:
        return self.in_language("en")

    def in_language(self, language: str) -> str:
        """Return the sentence in one of `LANGUAGES`."""
        return translate(MISSING, language).format(**self._names)


def require(extra: str) -> None:
    """Raise PackageMissingError if a package of an extra is not installed; nothing is imported."""
    for package in EXTRAS[extra]:
        if find_spec(package) is None:
            raise PackageMissingError(package, extra)


def installed_version() -> str:
    """Return the version of the installed package `parable`; "" if it runs from its sources."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes 80 ms, and few commands need it

    try:
        return version("parable")
    except PackageNotFoundError:
        return ""
