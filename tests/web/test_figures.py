"""Numbers in templates."""

import pytest
from django.template import Context, Template


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.125, "0.13 = 0.125"), (0.0004, "0.00 &lt; 0.001"), (float("nan"), "– = –"), (float("inf"), "– = –")],
)
def test_a_figure_on_a_page_is_never_nan_or_inf(value: float, shown: str) -> None:
    text = Template("{{ value|floatformat:2 }} {{ value|p_value }}").render(Context({"value": value}))
    assert text == shown
