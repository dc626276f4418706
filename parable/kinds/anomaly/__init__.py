"""Which words of a text make its scene wrong: subtask 1 of SpaCE2023.

An answer is one or more alternatives, each sufficient by itself: fragments of the text with one role each.
"""

from parable.kinds.anomaly.content import GROUPS, ROLES, Alternative, AnomalyText, Fragment

__all__ = ["GROUPS", "ROLES", "Alternative", "AnomalyText", "Fragment"]
