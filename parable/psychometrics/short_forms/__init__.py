"""Short forms: few items that stand for a whole set, and how far the score that they give is off."""
