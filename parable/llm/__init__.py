"""Calls to language models: prompts, answers, and a stub server for testing both.

`prompts` fills templates, `tokens` estimates their size, `addresses` decides what may be called, `client`
calls it, `errors` says what went wrong, `parsing` reads proposals out of an answer, `stub` is a server
that speaks the protocol with faults on demand. Nothing else in the project imports the vendor's package.
"""
