"""The data card of a release: its blocks, its figures, and the sentences of every layout. Pure."""
