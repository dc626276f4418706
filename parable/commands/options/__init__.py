"""Options of the commands: one module per command, each with a function `parser`.

They load nothing that takes time, NumPy least of all: --help and a slip in the typing are answered at once.
"""
