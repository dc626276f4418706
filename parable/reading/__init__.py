"""Builds the prompt for an item, and reads which option a model's answer chooses.

Releases include these modules, so that a release's programs read answers by the same rules as Parable. They
import only the standard library and, by relative imports, each other.
"""
