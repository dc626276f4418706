"""Charts in the current language, as downloads and with a common scale."""

import base64
import hashlib
from typing import Final

from django.http import HttpResponse
from django.utils.translation import get_language

from parable.charts import STYLE, Chart, Scale, as_file, shares

_HASH: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY: Final = f"default-src 'none'; style-src 'sha256-{_HASH}'"
"""The content security policy of a chart opened as a file: it allows only the chart's own style."""


def reader_shares() -> Scale:
    """Return a scale from 0 to 100 %, labelled in the current language."""
    return shares(_language())


def chart_file(chart: Chart, name: str, title: str = "") -> HttpResponse:
    """Return a chart as the download `name.svg`, in the current language."""
    response = svg_response(as_file([chart], title or chart.caption, _language()))
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.svg"'
    return response


def svg_response(picture: str | bytes) -> HttpResponse:
    """Return a response with an SVG image, and a security policy that permits the image's inline styles."""
    headers = {"Content-Security-Policy": _POLICY}
    return HttpResponse(picture, content_type="image/svg+xml", headers=headers)


def _language() -> str:
    return get_language() or "en"
