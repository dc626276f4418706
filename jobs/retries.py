"""The number of attempts of a failing call, and the waits between them."""

from typing import Final

from parable.llm.client import Retries

MOST_ATTEMPTS: Final = 6
# Some fifteen seconds in total, short waits first: most faults are over in a moment, and a batch ends with
# its slowest call.
RETRIES: Final = Retries(
    attempts=MOST_ATTEMPTS, first_wait=0.5, longest_wait=30.0, longest_retry_after=3600.0
)
