"""Formats of other tools; a module that defines `FORMAT` is registered without further code."""
