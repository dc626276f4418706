"""A language model as a judge of items: its prompts, and the parser of its replies.

Nothing here calls a model: `parable.llm` does, for the command `audit` and for a project's jobs.
"""
