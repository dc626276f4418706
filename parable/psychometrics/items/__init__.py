"""Analysis of items and examinees: fit, ranks, results expected by chance, styles, suspect items."""
