"""Calls language models: prompts, answers, and a stub server for tests.

`prompts` fills templates, `tokens` estimates their size, `addresses` decides which addresses may be called,
`client` calls them, `errors` has the error classes, `proposals` parses the proposals in an answer, and `stub`
is a server that speaks the protocol and fails on demand. Nothing else in the project imports the vendor's
package.
"""
