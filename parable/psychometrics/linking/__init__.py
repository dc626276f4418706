"""Linking of two versions of a set by common items, drift of items, and effects of errata."""
