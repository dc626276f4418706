"""Configuration of this Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks
from django.utils.translation import gettext_lazy as _

from parable.formats.xlsx_reader import has_slow_parser


class CorpusConfig(AppConfig):
    """The app `corpus`."""

    name = "corpus"
    verbose_name = _("Stories")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the deployment check of the XML parser that is used to read uploads."""
        checks.register(check_xml_parser, deploy=True)


def check_xml_parser(**_named: object) -> list[checks.CheckMessage]:
    """Warn if Python's XML parser (expat before 2.6.0) needs quadratic time for some files."""
    if not has_slow_parser:
        return []
    return [
        checks.Warning(
            "This Python has an expat before 2.6.0, which needs quadratic time for some XML.",
            hint="What Parable reads of spreadsheets is bounded. Update Python or the system's libexpat.",
            id="corpus.W001",
        )
    ]
