"""Computes fingerprints of calls, so that none is paid for twice, and the costs of calls. Pure."""

import hashlib
import json
from collections.abc import Mapping
from decimal import ROUND_UP, Decimal
from typing import Any, Final

from parable.llm.tokens import estimate_prompt_tokens

MILLION: Final = Decimal(1_000_000)
SMALLEST: Final = Decimal("0.000001")
# Tokens held for an answer without a limit; `max_tokens` among the parameters makes the number exact.
USUAL_OUTPUT_TOKENS: Final = 1_000
LIMITS_OF_OUTPUT: Final = ("max_completion_tokens", "max_tokens")


def fingerprint(asked: Mapping[str, Any], repeat: int = 0) -> str:
    """Return the SHA-256 of a question, independent of the order of its keys.

    `repeat` numbers intended repetitions.
    """
    canonical = json.dumps([asked, repeat], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def output_tokens(parameters: Mapping[str, Any]) -> int:
    """Return the maximum number of output tokens that the parameters allow, or a default."""
    for name in LIMITS_OF_OUTPUT:
        limit = parameters.get(name)
        if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
            return limit
    return USUAL_OUTPUT_TOKENS


def most_tokens(prompt: str, parameters: Mapping[str, Any]) -> int:
    """Return the maximum number of tokens of a call, prompt and output, as estimated in advance."""
    return estimate_prompt_tokens(prompt) + output_tokens(parameters)


def cost(*, tokens_in: int, tokens_out: int, price_in: Decimal, price_out: Decimal) -> Decimal:
    """Return the cost of these tokens at prices per million, rounded up to a millionth."""
    exact = (tokens_in * price_in + tokens_out * price_out) / MILLION
    return exact.quantize(SMALLEST, rounding=ROUND_UP)


def most_it_may_cost(
    prompt: str, parameters: Mapping[str, Any], *, price_in: Decimal, price_out: Decimal
) -> Decimal:
    """Return the maximum cost of a call, which is held before the call is made."""
    return cost(
        tokens_in=estimate_prompt_tokens(prompt),
        tokens_out=output_tokens(parameters),
        price_in=price_in,
        price_out=price_out,
    )
