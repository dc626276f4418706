"""Whether two texts that differ in one place can describe the same scene: subtask 3 of SpaCE2023."""

from parable.kinds.scene.content import ELEMENTS, Difference, Judgement, ScenePair, find_difference

__all__ = ["ELEMENTS", "Difference", "Judgement", "ScenePair", "find_difference"]
