"""Pages of the queue: the list, a single request, and the comments shown to a writer."""
