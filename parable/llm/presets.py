"""Presets for common model servers: a base URL and an example model.

They only prefill a form; prices and limits are omitted, since they differ by account and change often.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """A provider, or a program that serves models on the user's own machine (`is_local`)."""

    id: str
    name: str
    base_url: str
    model: str
    is_local: bool = False


PRESETS = (
    Preset("glm", "GLM", "https://open.bigmodel.cn/api/paas/v4", "glm-4-plus"),
    Preset("qwen", "Qwen", "https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus"),
    Preset("ernie", "ERNIE", "https://qianfan.baidubce.com/v2", "ernie-4.5-turbo-128k"),
    Preset("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "deepseek-chat"),
    Preset("spark", "Spark", "https://spark-api-open.xf-yun.com/v1", "4.0Ultra"),
    Preset("openai", "OpenAI", "https://api.openai.com/v1", "gpt-4o-mini"),
    # Their default ports; the name of the model depends on the server's configuration.
    Preset("vllm", "vLLM", "http://127.0.0.1:8000/v1", "Qwen/Qwen2.5-7B-Instruct", is_local=True),
    Preset("llama-cpp", "llama.cpp", "http://127.0.0.1:8080/v1", "local", is_local=True),
)


def find_preset(name: str) -> Preset | None:
    """Return the preset with this id; None if there is none."""
    return next((preset for preset in PRESETS if preset.id == name), None)
