"""A language model as a judge of items: what it is asked, and how its reply is read.

Nothing here asks anybody: `parable.llm` does, for the command `audit`, and the calls of a project's jobs.
A prompt is a value (`criteria`, `prompt`), a reply is read leniently (`reply`).
"""
