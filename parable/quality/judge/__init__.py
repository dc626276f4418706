"""A language model as a judge of items: its prompts, and the parser of its replies.

The calls of models are in `parable.llm`, for the command `audit` and for a project's jobs.
"""
