"""The programming interface of jobs, endpoints of language models and the project's budget."""
