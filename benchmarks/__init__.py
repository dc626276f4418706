"""Benchmarks, one per module: `make bench`, or `make bench BENCH=name` for one."""
