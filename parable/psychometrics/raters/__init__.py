"""Raters modelled: severity, fit, keys by many answers, and whether a language model may join them."""
