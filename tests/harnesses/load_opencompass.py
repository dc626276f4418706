"""Loads a release with OpenCompass, poses and scores it, and prints what it saw as one JSON object.

Run with the Python of .venv-harnesses/opencompass: load_opencompass.py FOLDER CACHE

OpenCompass wants torch and transformers wherever it is imported, some gigabytes that reading a data set has
no use for: what is missing is replaced by names that do nothing. And its package of data sets imports
every one of them; ours needs its base alone.
"""

import importlib.machinery
import json
import sys
import types
from pathlib import Path

from mmengine.config import Config
from scripted import KNOWN

MISSING = {"torch", "transformers"}


class _Named(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Named(name, (_Nothing,), {})


class _Nothing(metaclass=_Named):
    def __init__(self, *_what, **_how):
        pass

    def __bool__(self):
        return False

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


def main(folder: str, _cache: str) -> None:
    sys.meta_path.append(_Finder())
    import opencompass

    base = types.ModuleType("opencompass.datasets")
    base.__path__ = [str(Path(opencompass.__file__).parent / "datasets")]
    sys.modules["opencompass.datasets"] = base
    where = Path(folder) / "harness" / "opencompass"
    sys.path.insert(0, str(where))
    [config] = [path for path in where.glob("*.py") if not path.name.endswith("_items.py")]
    print(json.dumps({one["abbr"]: _measured(one) for one in Config.fromfile(str(config)).datasets}))


def _measured(one):
    from opencompass.registry import ICL_EVALUATORS, ICL_PROMPT_TEMPLATES, ICL_RETRIEVERS
    from opencompass.utils import build_dataset_from_cfg

    dataset = build_dataset_from_cfg(one)
    template = ICL_PROMPT_TEMPLATES.build(one["infer_cfg"]["prompt_template"])
    retriever = ICL_RETRIEVERS.build({**one["infer_cfg"]["retriever"], "dataset": dataset})
    prompt = retriever.generate_prompt_for_generate_task(0, "", prompt_template=template)
    evaluator = ICL_EVALUATORS.build(one["eval_cfg"]["evaluator"])
    rows = list(dataset.test)
    if KNOWN:
        said = [KNOWN[row["prompt"]] for row in rows]
        return evaluator.score(said, [row["target"] for row in rows], dataset.test)
    said = [f"The answer is {row['answer_letter']}." for row in rows]
    scored = evaluator.score(said, [row["answer_letter"] for row in rows], dataset.test)
    return {
        "prompt": str(prompt),
        "accuracy": scored["accuracy"] / 100,
        "keys": {row["id"]: row["answer"] for row in rows},
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
