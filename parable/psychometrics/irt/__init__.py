"""Item response theory: IRT models with one, two and three parameters, by marginal maximum likelihood."""

from parable.psychometrics.defaults import ENOUGH_EXAMINEES
from parable.psychometrics.irt.calibration import (
    FEW_EXAMINEES,
    Calibration,
    abilities,
    calibrate,
    discriminations,
)
from parable.psychometrics.irt.curves import Model, information
from parable.psychometrics.irt.priors import PriorChoice
from parable.psychometrics.irt.stories import StoryAbilities, abilities_by_story, by_story

__all__ = [
    "ENOUGH_EXAMINEES",
    "FEW_EXAMINEES",
    "Calibration",
    "Model",
    "PriorChoice",
    "StoryAbilities",
    "abilities",
    "abilities_by_story",
    "by_story",
    "calibrate",
    "discriminations",
    "information",
]
