"""Comparison of two versions of a set: linking by common items, drift of items, effects of errata."""
