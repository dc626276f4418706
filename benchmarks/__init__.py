"""What is measured, one module a bench: `make bench`, or `make bench BENCH=name` for one."""
