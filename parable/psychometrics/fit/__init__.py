"""Fit of an IRT model: of the model as a whole, of items, and of examinees."""
