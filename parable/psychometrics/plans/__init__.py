"""Expected precision of a planned evaluation: variance components, standard errors, power."""
