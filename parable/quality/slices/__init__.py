"""Audits of sets that are too large for one process: slices are read apart, and their states are merged.

`reading` divides files into slices, `build` makes the state of one, `state` stores it, and `merge` runs the
gates on the states of all slices. Whatever the slices, the findings are those of an audit of the whole set.
"""
