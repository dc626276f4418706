"""Logs of evaluation tools, a module each that ends in `LOG`: nothing else needs to name it."""
