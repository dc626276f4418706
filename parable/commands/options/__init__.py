"""What each command may be asked: a module a command, each with a `parser`.

They load nothing that takes time, NumPy least of all: --help and a slip in the typing are answered at once.
"""
