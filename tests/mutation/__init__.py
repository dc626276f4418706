"""Mutation testing: change one thing in a rule, run its tests, and see whether they notice.

mutmut says what to change in an expression. Its own runner mutates no constant, table or decorated function
and starts a test run for each mutant; here a mutant is judged in a forked process, by the tests of its
module alone, on a database that is kept. `make mutate` runs it; docs/mutation.md says how to read the table.
"""
