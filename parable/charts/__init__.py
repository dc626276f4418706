"""SVG charts for pages and files, which a style sheet colours.

Nothing here needs a library, a worker or a script, and the same values give the same bytes. What a chart
shows is also in its `rows`, for readers who cannot see it. A page shows a chart as it is; `as_file` makes a
file of one or of several, readable on light and dark paper.
"""

from parable.charts.files import INKS, STYLE, as_file
from parable.charts.grids import Field, grid
from parable.charts.marks import Chart, Mark
from parable.charts.planes import PLANE, Dot, groups, plane, scatter
from parable.charts.rows import Row, by_day, by_row
from parable.charts.scales import Scale, around, counts, numbers, shares
from parable.charts.small import columns, interval

__all__ = [
    "INKS", "PLANE", "STYLE", "Chart", "Dot", "Field", "Mark", "Row", "Scale", "around", "as_file", "by_day",
    "by_row", "columns", "counts", "grid", "groups", "interval", "numbers", "plane", "scatter", "shares",
]  # fmt: skip
