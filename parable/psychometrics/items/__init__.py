"""Analysis of items and examinees: fit, ranks, chance, styles, suspects."""
