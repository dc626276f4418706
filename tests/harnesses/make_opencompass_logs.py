"""Asks a model the items of a release with OpenCompass' inferencers, and leaves its predictions.

Run with the Python of .venv-harnesses/opencompass: make_opencompass_logs.py FOLDER OUT URL MODEL, where URL
is that of `python -m parable.llm.stub`. As in load_opencompass.py, torch is replaced; its loader of batches
by a list. Three of the items are asked.
"""

import json
import sys
import types
from contextlib import ContextDecorator
from pathlib import Path
from urllib.request import Request, urlopen

sys.path.insert(0, str(Path(__file__).resolve().parent))
from load_opencompass import _Finder
from mmengine.config import Config


class _Free(ContextDecorator):
    """What stands for torch's way to compute no gradients."""

    def __enter__(self):
        return self

    def __exit__(self, *_what):
        return False


class _Asked:
    """A model behind an address, as OpenCompass calls its models."""

    is_api = True

    def __init__(self, url, model):
        from opencompass.models.base_api import APITemplateParser

        self.url, self.model = url, model
        self._parser = APITemplateParser()

    def parse_template(self, prompts, mode):
        return [self._parser.parse_template(one, mode) for one in prompts]

    def get_token_len_from_template(self, prompts, mode="gen"):
        return 1

    def generate(self, *_what):
        pass

    def generate_from_template(self, prompts, max_out_len):
        return [self._answer(prompt) for prompt in self.parse_template(prompts, "gen")]

    def _answer(self, prompt):
        text = prompt if isinstance(prompt, str) else "\n".join(one["prompt"] for one in prompt)
        asked = {"model": self.model, "messages": [{"role": "user", "content": text}]}
        request = Request(
            f"{self.url}/chat/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"}
        )
        with urlopen(request) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]


def main(folder: str, out: str, url: str, model: str) -> None:
    sys.meta_path.append(_Finder())
    import opencompass
    import torch

    torch.no_grad = _Free
    base = types.ModuleType("opencompass.datasets")
    base.__path__ = [str(Path(opencompass.__file__).parent / "datasets")]
    sys.modules["opencompass.datasets"] = base
    where = Path(folder) / "harness" / "opencompass"
    sys.path.insert(0, str(where))
    [config] = [path for path in where.glob("*.py") if not path.name.endswith("_items.py")]
    from opencompass.openicl.icl_inferencer.icl_gen_inferencer import GenInferencer
    from opencompass.registry import ICL_PROMPT_TEMPLATES, ICL_RETRIEVERS
    from opencompass.utils import build_dataset_from_cfg

    one = Config.fromfile(str(config)).datasets[0]
    dataset = build_dataset_from_cfg(one)
    template = ICL_PROMPT_TEMPLATES.build(one["infer_cfg"]["prompt_template"])
    dataset.reader.dataset["test"] = dataset.reader.dataset["test"].select(range(3))
    retriever = ICL_RETRIEVERS.build({**one["infer_cfg"]["retriever"], "dataset": dataset})
    place = Path(out) / "predictions" / model
    GenInferencer.get_dataloader = staticmethod(lambda rows, _size: [rows])
    inferencer = GenInferencer(model=_Asked(url, model), max_out_len=20, output_json_filepath=str(place))
    inferencer.inference(retriever, prompt_template=template, output_json_filename=f"{one['abbr']}.json")


if __name__ == "__main__":
    main(*sys.argv[1:])
