"""Code that loads a release or measures a model on it, as its pages show it to be copied."""

import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

MODEL: Final = "MODEL"
"""The place of the model's name in the code, which its reader replaces."""
_INSPECT: Final = re.compile(r"harness/inspect_ai/([a-z0-9_]+)\.py")


@dataclass(frozen=True, slots=True)
class Usage:
    """Code for one tool; `language` is that of the code."""

    tool: str
    label: str
    language: str
    code: str


def usages(*, folder: str, archive: str, names: Collection[str]) -> Iterator[Usage]:
    """Yield the code for each tool that the files of a release (`names`) support.

    `archive` is the address of the ZIP archive that contains the release as `folder`; if "", the code begins
    after the archive has been unpacked.
    """
    file = f"{folder}.zip"
    python = [
        *(["from urllib.request import urlretrieve", "from zipfile import ZipFile", ""] if archive else []),
        "from datasets import load_dataset",
        "",
        *([f'urlretrieve("{archive}", "{file}")', f'ZipFile("{file}").extractall()'] if archive else []),
        f'items = load_dataset("{folder}", "all")',
        "print(items)",
    ]
    yield Usage("datasets", "datasets", "python", "\n".join(python))
    tag = next((found[1] for name in sorted(names) if (found := _INSPECT.fullmatch(name))), "")
    if not tag:
        return
    unpack = [f"curl -fLO {shlex.quote(archive)}", f"python -m zipfile -e {file} ."] if archive else []
    prefix = f"harness/lm_eval/{tag}_"
    tasks = [
        f"{tag}_{name.removeprefix(prefix).removesuffix('.yaml')}"
        for name in sorted(names)
        if name.startswith(prefix) and name.endswith(".yaml") and not name.endswith("_gen.yaml")
    ]
    lm_eval = [
        f"lm_eval --include_path {folder}/harness/lm_eval \\",
        f"  --tasks {','.join(tasks)} \\",
        f"  --model hf --model_args pretrained={MODEL}",
    ]
    if tasks:
        yield Usage("lm_eval", "lm-eval", "shell", "\n".join([*unpack, *lm_eval]))
    inspect = [f"inspect eval {folder}/harness/inspect_ai/{tag}.py \\", f"  --model {MODEL}"]
    yield Usage("inspect", "Inspect", "shell", "\n".join([*unpack, *inspect]))
