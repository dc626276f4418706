"""Attacks on the site, each test named after the attack that it replays.

Those that the tests of an app replay already are named in docs/threats.md, and not written twice.
"""
