"""Fit of an IRT model: of the whole model, of items, and of examinees."""
