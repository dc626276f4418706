"""A language model as a judge of items: its prompts, and the parser of its replies.

Nothing here asks anybody: `parable.llm` does, for the command `audit`, and the calls of a project's jobs.
A prompt is a value (`criteria`, `prompt`), a reply is read leniently (`reply`).
"""
