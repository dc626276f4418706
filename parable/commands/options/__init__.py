"""Options of the commands: one module per command, each with a function `parser`.

The modules do not import NumPy or other slow packages, so that --help and errors in options are printed at
once.
"""
