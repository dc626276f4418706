"""The tables of an evaluation: accuracy, errors by type, styles, repeats, positions, pairs of examinees.

Plain values in and out; figures, codes and parameters, never sentences.
"""
