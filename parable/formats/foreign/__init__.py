"""Formats of other tools, a module each that ends in `FORMAT`: nothing else needs to name it."""
