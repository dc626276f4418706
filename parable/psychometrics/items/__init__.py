"""What a set of answers says of items and examinees together: fit, ranks, chance, styles, suspects."""
