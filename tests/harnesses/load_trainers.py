"""Reads a kit for fine-tuning with the readers of TRL and LLaMA-Factory, and prints what they saw as JSON.

Run with the Python of .venv-harnesses/trainers: load_trainers.py FOLDER CACHE

No model is trained. LLaMA-Factory imports torch, some gigabytes that reading examples has no use for: it is
replaced by names that do nothing, and the package of its readers is entered without its loader.
"""

import importlib.machinery
import json
import sys
import types
from pathlib import Path
from types import SimpleNamespace

import datasets
import llamafactory
import transformers
import yaml
from trl import data_utils

MISSING = {"torch", "peft", "accelerate"}
TURNS = (
    "{% for one in messages %}<{{ one['role'] }}>{{ one['content'] }}</>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


class _Named(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Named(name, (_Nothing,), {})


class _Nothing(metaclass=_Named):
    def __init__(self, *_what, **_how):
        pass

    def __call__(self, *what, **_how):
        return what[0] if what else None


class _StandIn(types.ModuleType):
    __path__ = []
    __version__ = "0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Named(name, (_Nothing,), {})


class _Finder:
    def find_spec(self, name, _path=None, _target=None):
        if name.partition(".")[0] in MISSING:
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        return _StandIn(spec.name)

    def exec_module(self, module):
        pass


def by_trl(folder, cache):
    """What SFTTrainer makes of the file: prompt and completion under a chat template, in text."""
    rows = datasets.load_dataset(
        "json", data_files=str(folder / "trl.jsonl"), split="train", cache_dir=str(cache)
    )
    tokens = transformers.PreTrainedTokenizerFast(tokenizer_object=_tokenizer(), chat_template=TURNS)
    seen = {}
    for row in rows:
        example = {"prompt": row["prompt"], "completion": row["completion"]}
        if not data_utils.is_conversational(example):
            raise ValueError("TRL does not take this for a conversation.")
        put = data_utils.apply_chat_template(example, tokens)
        seen[row["id"]] = [put["prompt"], put["completion"]]
    return seen


def _tokenizer():
    from tokenizers import Tokenizer, models

    return Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))


def by_llama_factory(folder, cache):
    """What LLaMA-Factory aligns the file to, found by the settings and the list of data sets of the kit."""
    sys.meta_path.insert(0, _Finder())
    package = types.ModuleType("llamafactory.data")
    package.__path__ = [str(Path(llamafactory.__file__).parent / "data")]
    sys.modules["llamafactory.data"] = package
    from llamafactory.data.converter import align_dataset
    from llamafactory.data.parser import get_dataset_list

    settings = yaml.safe_load((folder / "train_llama_factory.yaml").read_text(encoding="utf-8"))
    (found,) = get_dataset_list([settings["dataset"]], str(folder / settings["dataset_dir"]))
    rows = datasets.load_dataset(
        "json", data_files=str(folder / found.dataset_name), split="train", cache_dir=str(cache)
    )
    ids = rows["id"]
    arguments = SimpleNamespace(
        streaming=False, preprocessing_num_workers=None, overwrite_cache=True, media_dir=str(folder)
    )
    aligned = align_dataset(rows, found, arguments, SimpleNamespace(local_process_index=0))
    return {
        name: [row["_prompt"][-1]["content"], row["_response"][-1]["content"]]
        for name, row in zip(ids, aligned, strict=True)
    }


def main():
    folder, cache = map(Path, sys.argv[1:])
    print(json.dumps({"trl": by_trl(folder, cache), "llama_factory": by_llama_factory(folder, cache)}))


main()
