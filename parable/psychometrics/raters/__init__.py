"""Models of raters: severity, fit, keys from many answers, and whether a language model may join them."""
