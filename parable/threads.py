"""Limits the threads with which NumPy computes."""

import os


def use_one_thread() -> None:
    """Make linear algebra run in the calling thread; must be called before NumPy is imported.

    The matrices of an estimation are small, and threads of OpenBLAS wait for each other by spinning: on a
    busy machine one estimation used ten to thirty times its processor time. OMP_NUM_THREADS in the
    environment takes precedence.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
