"""Analysis of items and examinees: fit, ranks, results by chance, styles, suspect items."""
