"""Pictures as SVG that is the same byte for byte each time, with its text left as text."""

import io
import re
import warnings
from typing import Any, Final

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

BLUE: Final = "#2b5fa8"
GREY: Final = "#8a8f98"
STYLE: Final[Any] = {
    "svg.fonttype": "none",  # text stays text, so that any reader's own letters show Chinese
    "svg.hashsalt": "parable",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def plain(text: str) -> str:
    """Text in which matplotlib finds no formula."""
    return text.replace("$", r"\$")


def as_svg(figure: Figure) -> str:
    """The picture alone, without what comes before it in a file of its own."""
    FigureCanvasSVG(figure)
    out = io.StringIO()
    with warnings.catch_warnings():
        # Letters are measured in a font that may lack Chinese; the page shows them in the reader's own.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(
            out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    return re.sub(
        r"<metadata>.*?</metadata>", "", out.getvalue()[out.getvalue().index("<svg") :], flags=re.DOTALL
    )
