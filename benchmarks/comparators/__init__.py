"""Programs with which ours are compared, each run by the Python of its own environment."""
