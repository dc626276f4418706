"""Linking of two versions of a set by common items, drift, and effects of errata."""
