"""What linking promises, by simulation: how far abilities brought over lie from where they belong."""

import numpy as np
import pytest

from parable.psychometrics.irt import calibrate
from parable.psychometrics.linking.drift import linked
from parable.psychometrics.linking.transformation import Method, common_items
from tests.parable.response_matrices import two_versions

pytestmark = pytest.mark.drill

METHODS: tuple[Method, ...] = ("mean_sigma", "stocking_lord")
AT = np.linspace(-1.5, 1.5, 7)


def test_linked_scales_are_nearer_than_a_twentieth_of_a_standard_deviation() -> None:
    """Two populations of 2,000, 30 common items of 40, the second half a deviation more able."""
    errors: dict[Method, list[np.ndarray]] = {method: [] for method in METHODS}
    held: dict[Method, list[bool]] = {method: [] for method in METHODS}
    named = 0
    for seed in range(40):
        before, after, (stretch, shift) = two_versions(100 + seed, examinees=2000)
        one, other = calibrate(before, "2pl"), calibrate(after, "2pl")
        common = common_items((one.items, one.slope_intercept), (other.items, other.slope_intercept))
        rows = [[of.items.index(name) for name in common.names] for of in (one, other)]
        spread = (one.difficulty_se[rows[0]], other.difficulty_se[rows[1]])
        for method in METHODS:
            found = linked(common, spread, method)
            assert found is not None
            apart = np.array([found.link.ability(at) for at in AT]) - (stretch * AT + shift)
            errors[method].append(apart)
            half = [1.96 * found.link.error(at, 0.0) for at in AT]
            held[method] += (np.abs(apart) < half).tolist()
            named += sum(row.moved for row in found.items)
    for method in METHODS:
        apart = np.array(errors[method])
        print(method, np.abs(apart).mean(), np.abs(apart.mean(axis=0)).max(), np.mean(held[method]))
    for method in METHODS:
        assert np.abs(errors[method]).mean() < 0.05
        assert np.mean(held[method]) > 0.85
    assert named <= 1
