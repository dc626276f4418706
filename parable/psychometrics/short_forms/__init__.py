"""Short forms: a few items that represent a whole set, and the error of scores based on them."""
