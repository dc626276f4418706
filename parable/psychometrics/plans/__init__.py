"""The expected precision of an evaluation: variance components, standard errors, power."""
