"""Models of raters: severity, fit, keys from many answers, and tests of language models as raters."""
