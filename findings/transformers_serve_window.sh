#!/usr/bin/env bash
# `transformers serve` answers prompts that are longer than its model can read, and says nothing.
#
# Expected: a prompt beyond the model's window (`max_position_embeddings`) is refused, or the reply says that part of
# it was left out, so that a person who measures a model learns that a story was too long for it.
# What happens: version 5.24.0 answers with status 200, counts all tokens of the prompt in `usage`, and ends as
# it does for a short one (`stop`, or `length` at the limit of new tokens). Only the server's own log warns. A benchmark
# of long stories counts what comes back as the model's answers: compare `usage.prompt_tokens` with the window
# yourself, or keep stories shorter.
# Output seen on 28 November 2026 (Python 3.11, x86-64, torch 2.13.0 for CPUs; a model of one random layer):
#   transformers 5.24.0, window 32: a prompt of 8 words: status 200, 8 tokens read, 4 answered, length
#   transformers 5.24.0, window 32: a prompt of 33 words: status 200, 33 tokens read, 4 answered, length
#   transformers 5.24.0, window 32: a prompt of 500 words: status 200, 500 tokens read, 4 answered, length
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install "transformers[serving]==5.24.0" torch==2.13.0 2>pip.txt || {
    tail -5 pip.txt
    exit 1
}

cat >make.py <<'PYTHON'
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

torch.manual_seed(1)
words = ["<s>", "</s>", "<unk>", *(f"w{number}" for number in range(61))]
raw = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
raw.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=raw, bos_token="<s>", eos_token="</s>", unk_token="<unk>", model_max_length=32
)
tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }} {% endfor %}"
tokenizer.save_pretrained("tiny")
size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
config = LlamaConfig(
    vocab_size=64, num_key_value_heads=2, max_position_embeddings=32, bos_token_id=0, eos_token_id=1, **size
)
LlamaForCausalLM(config).save_pretrained("tiny")
PYTHON

cat >ask.py <<'PYTHON'
import json
import sys
import time
from importlib.metadata import version
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

base = f"http://127.0.0.1:{sys.argv[1]}/v1"


def answer(count):
    content = " ".join(f"w{number % 61}" for number in range(count))
    asked = {"model": "tiny", "messages": [{"role": "user", "content": content}], "max_tokens": 4}
    request = Request(f"{base}/chat/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=60) as reply:
            said = json.load(reply)
    except HTTPError as refused:
        return f"status {refused.code}"
    used, end = said["usage"], said["choices"][0]["finish_reason"]
    return f"status 200, {used['prompt_tokens']} tokens read, {used['completion_tokens']} answered, {end}"


for _try in range(240):
    try:
        urlopen(f"{base}/models", timeout=10)
        break
    except HTTPError:
        break
    except (URLError, OSError):
        time.sleep(0.5)
for count in (8, 33, 500):
    print(f"transformers {version('transformers')}, window 32: a prompt of {count} words: {answer(count)}")
PYTHON

tools/bin/python make.py >make.txt 2>&1 || { tail -5 make.txt; exit 1; }
port=$(tools/bin/python -c 'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); print(one.getsockname()[1])')
tools/bin/transformers serve tiny --host 127.0.0.1 --port "$port" >server.txt 2>&1 &
server=$!
tools/bin/python ask.py "$port" | tee said.txt
diff - said.txt <<'SEEN'
transformers 5.24.0, window 32: a prompt of 8 words: status 200, 8 tokens read, 4 answered, length
transformers 5.24.0, window 32: a prompt of 33 words: status 200, 33 tokens read, 4 answered, length
transformers 5.24.0, window 32: a prompt of 500 words: status 200, 500 tokens read, 4 answered, length
SEEN
echo "As seen."
