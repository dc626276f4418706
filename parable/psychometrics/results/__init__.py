"""The tables of an evaluation: accuracy, errors by type, styles, repeats, positions, pairs of examinees.

Tables have numbers, codes and parameters, never sentences; functions take and return plain values.
"""
