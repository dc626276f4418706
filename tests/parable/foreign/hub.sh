#!/usr/bin/env bash
# Writes hub_datasets.zip beside it: items of ours in two configurations, with the card that datasets 5.2.0 writes
# for them, and the columns that it reads back.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install datasets==5.2.0

cat >write.py <<'PYTHON'
import sys
import zipfile
from pathlib import Path

from datasets import ClassLabel, Dataset, Features, List, Value, load_dataset
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard, DatasetCardData

FEATURES = Features(
    {
        "story": Value("string"),
        "question": Value("string"),
        "choices": List(Value("string")),
        "answer": ClassLabel(names=["A", "B", "C"]),
    }
)
CROW, LAMP = "A crow dropped pebbles into a jug.", "灯挂在墙上。"
ITEMS = {
    "riddles": {
        "train": [(CROW, "Who was thirsty?", ["a crow", "a hare", "a fox"], 0)],
        "validation": [(CROW, "When did it drink?", ["2026-11-29", "8:30", "007"], 2)],
        "test": [(LAMP, "灯在何处？", ["地上", "墙上", "水中"], 1), (LAMP, "何物？", ["灯", "墙", "水"], -1)],
    },
    "places": {"few_shot": [(LAMP, "墙上有何物？", ["灯", "水", "门"], 0)]},
}
root = Path("fables")
metadata, infos = MetadataConfigs(), DatasetInfosDict()
for config, splits in ITEMS.items():
    entries = []
    for split, rows in splits.items():
        made = Dataset.from_list([dict(zip(FEATURES, row)) for row in rows], features=FEATURES)
        (root / config).mkdir(parents=True, exist_ok=True)
        made.to_parquet(root / config / f"{split}-00000-of-00001.parquet")  # as push_to_hub lays files out
        entries.append({"split": split, "path": f"{config}/{split}-*"})
        infos[config] = made.info
    metadata[config] = {"data_files": entries} | ({"default": True} if config == "riddles" else {})
data = DatasetCardData()
infos.to_dataset_card_data(data)
metadata.to_dataset_card_data(data)
(root / "README.md").write_text(str(DatasetCard(f"---\n{data}\n---\n# Fables\n")), encoding="utf-8")
for config, splits in ITEMS.items():
    for split, rows in load_dataset(str(root), config).items():
        assert [tuple(row.values()) for row in rows] == splits[split], (config, split)
with zipfile.ZipFile(Path(sys.argv[1]) / "hub_datasets.zip", "w", zipfile.ZIP_DEFLATED) as held:
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        held.writestr(zipfile.ZipInfo(path.as_posix(), (2026, 11, 29, 0, 0, 0)), path.read_bytes())
PYTHON
tools/bin/python write.py "$here"
