"""Options of the commands: one module per command, each with a function `parser`.

They import nothing slow, NumPy least of all, so that --help and errors in options are printed at once.
"""
