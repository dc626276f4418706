"""Responses that model servers were observed or documented to send in 2025 and 2026, reworded.

Each is a behaviour of the stub under its name. `@MODEL@` stands for the requested model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_USAGE: Final = {"prompt_tokens": 21, "completion_tokens": 3, "total_tokens": 24}


@dataclass(frozen=True, slots=True)
class ServerReply:
    """A response: the server that sends it, its status, and its body as JSON."""

    server: str
    status: int
    body: Any


def _chat(
    content: object,
    finish: str = "stop",
    *,
    usage: Mapping[str, object] = _USAGE,
    model: str = "@MODEL@",
    choice: Mapping[str, object] | None = None,
    **message: object,
) -> dict[str, object]:
    data = {"role": "assistant", "content": content, **message}
    first = {"index": 0, "message": data, "finish_reason": finish, **(choice or {})}
    return {"object": "chat.completion", "model": model, "choices": [first], "usage": dict(usage)}


def _error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


SERVERS: Final[Mapping[str, ServerReply]] = {
    "xaisafety": ServerReply(
        "xAI",
        403,
        {
            "code": "The caller does not have permission to execute the specified operation",
            "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
        },
    ),
    "routerflagged": ServerReply(
        "OpenRouter",
        403,
        _error(
            "Your chosen model requires moderation and your input was flagged.",
            code=403,
            metadata={"reasons": ["violence"]},
        ),
    ),
    "dashscopequota": ServerReply(
        "DashScope",
        429,
        _error(
            "You exceeded your current quota, please check your plan and billing details.",
            type="insufficient_quota",
            code="insufficient_quota",
        ),
    ),
    "dashscopefree": ServerReply(
        "DashScope", 403, _error("Free allocated quota exceeded.", code="AllocationQuota.FreeTierOnly")
    ),
    "dashscopearrears": ServerReply(
        "DashScope",
        400,
        _error("Access denied, the account is in arrears.", code="Arrearage"),
    ),
    "siliconbalance": ServerReply(
        "SiliconFlow",
        403,
        {"code": 30001, "message": "Sorry, your account balance is insufficient"},
    ),
    "arkoverdue": ServerReply(
        "Ark",
        403,
        _error("The account has an overdue balance.", code="AccountOverdueError"),
    ),
    "moonshotquota": ServerReply(
        "Moonshot",
        429,
        _error("Your account is suspended, please check your plan.", type="exceeded_current_quota_error"),
    ),
    "deepseekbusy": ServerReply("DeepSeek", 200, _chat("The answer", "insufficient_system_resource")),
    "glmnetwork": ServerReply("GLM", 200, _chat("", "network_error")),
    "glmwindow": ServerReply("GLM", 200, _chat("B", "model_context_window_exceeded")),
    "sglangabort": ServerReply("sglang", 200, _chat("B is", "abort")),
    "routererror": ServerReply(
        "OpenRouter",
        200,
        _chat("B", "error", choice={"error": {"code": 1, "message": "The provider hung up."}}),
    ),
    "geminisafety": ServerReply("Gemini", 200, _chat(None, "SAFETY")),
    "geminirecitation": ServerReply("Gemini", 200, _chat("B", "RECITATION")),
    "geminiprohibited": ServerReply("Gemini", 200, _chat(None, "PROHIBITED_CONTENT")),
    "filternamed": ServerReply("a gateway", 200, _chat("", "content_filter: PROHIBITED_CONTENT")),
    "stoprefusal": ServerReply("a gateway to Claude", 200, _chat("", "refusal")),
    "arksensitive": ServerReply(
        "Ark",
        400,
        _error("It may hold sensitive information.", code="InputTextSensitiveContentDetected"),
    ),
    "stepcensored": ServerReply(
        "StepFun", 451, _error("The content was blocked.", type="censorship_blocked")
    ),
    "onlythought": ServerReply("vLLM 0.32", 200, _chat(None, reasoning="It may be B, since the hare slept.")),
    "onlythoughtcut": ServerReply(
        "vLLM", 200, _chat(None, "length", reasoning_content="First let us look at A")
    ),
    "cutoff": ServerReply("any", 200, _chat("Let us look at A. So A is right. But the question", "length")),
    "geminithinking": ServerReply(
        "a bridge to Gemini, xAI",
        200,
        _chat(
            "B",
            usage={
                "prompt_tokens": 21,
                "completion_tokens": 0,
                "total_tokens": 81,
                "completion_tokens_details": {"reasoning_tokens": 60},
            },
        ),
    ),
    "vllmlong": ServerReply(
        "vLLM",
        400,
        _error(
            "This model's maximum context length is 4096 tokens. Your request has 5120 input tokens.",
            type="BadRequestError",
            code=400,
        ),
    ),
    "llamalong": ServerReply(
        "llama.cpp",
        400,
        _error(
            "the request exceeds the available context size, try increasing it",
            type="exceed_context_size_error",
            code=400,
        ),
    ),
    "geminiarray": ServerReply(
        "Gemini", 400, [_error("Request contains an invalid argument.", code=400, status="INVALID_ARGUMENT")]
    ),
    "fastapidetail": ServerReply(
        "FastAPI", 422, {"detail": [{"loc": ["body", "top_k"], "msg": "Input should be an integer"}]}
    ),
    "mistraldetail": ServerReply(
        "Mistral",
        422,
        {
            "object": "error",
            "message": {"detail": [{"loc": ["body", "n"], "msg": "Extra input"}]},
        },
    ),
    "modelscopeerrors": ServerReply(
        "ModelScope", 400, {"errors": {"message": "The parameter is not supported."}, "request_id": "x"}
    ),
    "minimaxbalance": ServerReply(
        "MiniMax",
        200,
        {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
    ),
    "sparkcode": ServerReply("Spark", 200, {"code": 11200, "message": "the licence has no calls left"}),
    "transformerspinned": ServerReply(
        "transformers serve 5.24",
        400,
        {"detail": "Server is pinned to '/models/smol'; requested '@MODEL@'."},
    ),
    "litellmmodel": ServerReply("LiteLLM", 400, _error("Invalid model name passed in model=@MODEL@")),
    "othermodel": ServerReply("llama.cpp", 200, _chat("B", model="models/seven.gguf")),
    "schemadropped": ServerReply("transformers serve 5.23", 200, _chat("The letter is B.")),
}
"""Responses by name of the behaviour."""
