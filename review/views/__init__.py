"""Pages of the queue: the list, a single request, and the comments displayed to a writer."""
