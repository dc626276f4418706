"""Short forms: few items that represent a whole set, and the error of their score."""
