"""SVG charts for pages and files, coloured by a style sheet.

Charts need no library, background job or script, and equal data give equal bytes. The data of a chart are
also in its `rows`, for readers who cannot see the picture. Pages embed a chart; `as_file` writes one or
several to a file that is readable on light and dark backgrounds.
"""

from parable.charts.files import INKS, STYLE, as_file
from parable.charts.grids import Field, grid
from parable.charts.marks import Chart, Mark
from parable.charts.planes import PLANE, Dot, groups, plane, scatter
from parable.charts.progress import banded, burn_up
from parable.charts.rows import Row, by_day, by_row
from parable.charts.scales import Scale, around, counts, numbers, shares
from parable.charts.small import columns, interval

__all__ = [
    "INKS", "PLANE", "STYLE", "Chart", "Dot", "Field", "Mark", "Row", "Scale", "around", "as_file", "banded",
    "burn_up", "by_day", "by_row", "columns", "counts", "grid", "groups", "interval", "numbers", "plane",
    "scatter", "shares",
]  # fmt: skip
