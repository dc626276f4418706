"""Compiles the message catalogs when the package is built; compiled files are not committed."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithCatalogs(build_py):
    """Copies the packages, with each catalog in the form that gettext reads."""

    def run(self) -> None:
        """Compile first, as the files to copy are looked up once."""
        for source in Path("parable/locale").rglob("*.po"):
            with source.open("rb") as text, source.with_suffix(".mo").open("wb") as compiled:
                write_mo(compiled, read_po(text))
        super().run()


setup(cmdclass={"build_py": BuildWithCatalogs})
