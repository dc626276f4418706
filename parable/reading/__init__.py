"""Texts as people read them: what changed between two of them. No Django."""
