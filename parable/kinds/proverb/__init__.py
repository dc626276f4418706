"""Narratives that illustrate a proverb, with spans of both aligned: the ePiC set."""

from parable.kinds.proverb.content import CRITERIA, SCALE, SLOTS, Narrative, Proverb, SpanPair

__all__ = ["CRITERIA", "SCALE", "SLOTS", "Narrative", "Proverb", "SpanPair"]
