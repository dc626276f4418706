"""Makes a small model that answers multiple-choice items, rightly or not, for servers to serve.

Run with the Python of .venv-harnesses/transformers: make_answering_model.py WEIGHTS.gguf FOLDER

Its tokenizer is that of the weights. Each next token depends on the last one alone, by the table below: so
its replies are letters, sentences, corrections, nothing at all, and some that never end.
"""

import sys
from pathlib import Path

import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

LETTERS = ["A", "B", "C", "D"]
SPACED = [f" {letter}" for letter in LETTERS]
END = "<|im_end|>"
START = {**dict.fromkeys(LETTERS, 0.1), "Answer": 0.22, "The": 0.22, END: 0.08, " or": 0.04, "\n": 0.04}
CHAIN = {
    "Answer": {":": 1.0},
    ":": dict.fromkeys(SPACED, 1.0),
    "The": {" answer": 1.0},
    " The": {" answer": 1.0},
    " answer": {" is": 1.0},
    " is": {**dict.fromkeys(SPACED, 0.22), " not": 0.12},
    " not": dict.fromkeys(SPACED, 1.0),
    **{letter: {END: 0.6, ".": 0.2, " or": 0.07, " and": 0.06, "\n": 0.07} for letter in LETTERS + SPACED},
    ".": {END: 0.8, " The": 0.2},
    " or": dict.fromkeys(SPACED, 1.0),
    " and": dict.fromkeys(SPACED, 1.0),
}
UNSAID = -40.0


def main(weights: str, folder: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(Path(weights).parent, gguf_file=Path(weights).name)
    size, states = len(tokenizer), [START, *CHAIN.values()]
    width = 32
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=width,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        max_position_embeddings=2048,
        tie_word_embeddings=False,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    model = LlamaForCausalLM(config).float()
    assert len(states) <= width
    with torch.no_grad():
        layer = model.model.layers[0]
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
        state_of = torch.zeros(size, dtype=torch.long)
        for place, said in enumerate(CHAIN, start=1):
            state_of[number(tokenizer, said)] = place
        model.model.embed_tokens.weight.copy_(torch.nn.functional.one_hot(state_of, width).float())
        head = torch.full((size, width), UNSAID)
        for place, follows in enumerate(states):
            for said, share in follows.items():
                head[number(tokenizer, said), place] = torch.tensor(share).log()
        model.lm_head.weight.copy_(head / width**0.5)  # the last norm makes a one of this length
    model.generation_config.do_sample = True
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def number(tokenizer: AutoTokenizer, text: str) -> int:
    """Return the one token that a piece of text is."""
    found = tokenizer.encode(text, add_special_tokens=False)
    assert len(found) == 1, (text, found)
    return int(found[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
