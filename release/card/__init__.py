"""The data card of a release: its blocks, statistics and sentences, for every layout. Pure functions."""
