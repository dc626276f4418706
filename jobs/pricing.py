"""Computes the costs of calls, and fingerprints, which prevent paying for the same prompt twice. Pure."""

import hashlib
import json
from collections.abc import Mapping
from decimal import ROUND_UP, Decimal
from typing import Any, Final

from parable.llm.tokens import estimate_prompt_tokens

MILLION: Final = Decimal(1_000_000)
SMALLEST: Final = Decimal("0.000001")
# The output tokens assumed for a call whose parameters set no limit, such as `max_tokens`.
USUAL_OUTPUT_TOKENS: Final = 1_000
LIMITS_OF_OUTPUT: Final = ("max_completion_tokens", "max_tokens")


def fingerprint(asked: Mapping[str, Any], repeat: int = 0) -> str:
    """Return the SHA-256 of a question, as a hexadecimal string; the order of the keys of `asked` is ignored.

    `repeat` distinguishes intended repetitions of the same question.
    """
    canonical = json.dumps([asked, repeat], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def output_tokens(parameters: Mapping[str, Any]) -> int:
    """Return the most output tokens that the parameters allow, or `USUAL_OUTPUT_TOKENS` without a limit."""
    for name in LIMITS_OF_OUTPUT:
        limit = parameters.get(name)
        if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
            return limit
    return USUAL_OUTPUT_TOKENS


def most_tokens(prompt: str, parameters: Mapping[str, Any]) -> int:
    """Return an estimate of the most tokens a call may use, prompt and output together."""
    return estimate_prompt_tokens(prompt) + output_tokens(parameters)


def cost(*, tokens_in: int, tokens_out: int, price_in: Decimal, price_out: Decimal) -> Decimal:
    """Return the cost of a call at prices per million tokens, rounded up to a millionth of the currency."""
    exact = (tokens_in * price_in + tokens_out * price_out) / MILLION
    return exact.quantize(SMALLEST, rounding=ROUND_UP)


def most_it_may_cost(
    prompt: str, parameters: Mapping[str, Any], *, price_in: Decimal, price_out: Decimal
) -> Decimal:
    """Return an estimate of the highest cost of a call; this amount is reserved before the call is made."""
    return cost(
        tokens_in=estimate_prompt_tokens(prompt),
        tokens_out=output_tokens(parameters),
        price_in=price_in,
        price_out=price_out,
    )
