#!/usr/bin/env bash
# Writes doccano_*.jsonl beside it: doccano 1.8.4 takes items of ours in and exports them, without its web server.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install --no-deps doccano==1.8.4
tools/bin/pip --quiet --disable-pip-version-check install --no-warn-conflicts 'django<4.3' 'django-polymorphic<4' \
    'pydantic<3' 'pandas==1.5.3' 'numpy<2' chardet==4.0.0 pyexcel pyexcel-xlsx seqeval filetype celery \
    django-drf-filepond 'setuptools<80'

cat >write.py <<'PYTHON'
import json
import sys
import tempfile
from pathlib import Path

import django
from django.conf import settings

sys.path.insert(0, next(one for one in sys.path if one.endswith("site-packages")) + "/backend")


class NoMigrations(dict):
    def __contains__(self, name):
        return True

    def __getitem__(self, name):
        return None


named = "projects roles label_types examples labels data_import data_export django_drf_filepond polymorphic"
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", *named.split()],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    MIGRATION_MODULES=NoMigrations(),
    SECRET_KEY="none",
    USE_TZ=True,
    MEDIA_ROOT=tempfile.mkdtemp(),
    DJANGO_DRF_FILEPOND_UPLOAD_TMP=tempfile.mkdtemp(),
    DJANGO_DRF_FILEPOND_FILE_STORE_PATH=tempfile.mkdtemp(),
    ROLE_PROJECT_ADMIN="admin",
    ROLE_ANNOTATOR="annotator",
    ROLE_ANNOTATION_APPROVER="approver",
)
django.setup()
from data_export import celery_tasks
from data_import.datasets import load_dataset
from data_import.pipeline.catalog import create_file_format
from data_import.pipeline.readers import FileName
from django.contrib.auth.models import User
from django.core.management import call_command
from examples.models import Comment, Example
from projects.models import SequenceLabelingProject, TextClassificationProject

call_command("migrate", run_syncdb=True, verbosity=0)
user = User.objects.create(username="ann")
CROW = "A thirsty crow 🐦 dropped pebbles into a pitcher."
LAMP = " 灯挂在墙上，\r\n他把灯放在桌上。"


def span(text, words, role, number=0):
    start = text.index(words)
    given = {"id": number, "label": role, "start_offset": start, "end_offset": start + len(words)}
    return given if number else [given["start_offset"], given["end_offset"], role]


def export(name, project, kind, rows):
    project = project.objects.create(name=name, created_by=user, **kind)
    data = Path(tempfile.mkdtemp()) / "given.jsonl"
    data.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    files = [FileName(str(data), "given.jsonl", "given.jsonl")]
    task = "RelationExtraction" if kind.get("use_relation") else kind["project_type"]
    read = load_dataset(task, create_file_format("JSONL"), files, project, column_label="label", encoding="utf_8")
    read.save(user)
    assert not read.errors, read.errors
    first = Example.objects.filter(project=project).first()
    Comment.objects.create(example=first, user=user, text="A comment.")
    zipped = celery_tasks.export_dataset(project.id, "JSONL")
    import zipfile

    with zipfile.ZipFile(zipped) as held:
        [part] = held.namelist()
        Path(sys.argv[1], f"doccano_{name}.jsonl").write_bytes(held.read(part))


ITEM = {"question": "Why?", "A": "To play", "B": "To drink", "answer": "B"}
shared = {"collaborative_annotation": True}
export(
    "items",
    TextClassificationProject,
    {"project_type": "DocumentClassification"} | shared,
    [
        {"id": "crow-1", "text": CROW, **ITEM, "label": ["A"]},
        {"id": "crow-2", "text": CROW, **ITEM, "question": "What for?", "label": ["B", "A"]},
    ],
)
export(
    "texts",
    TextClassificationProject,
    {"project_type": "DocumentClassification"} | shared,
    [{"text": CROW, "label": ["wisdom"]}, {"text": "狐狸吃不到葡萄。", "label": ["envy"]}, {"text": "A hen.", "label": []}],
)
export(
    "spans",
    SequenceLabelingProject,
    {"project_type": "SequenceLabeling", "allow_overlapping": True} | shared,
    [
        {"text": LAMP, "label": [span(LAMP, "灯", "S1"), span(LAMP, "墙上", "P1"), span(LAMP, "桌上", "P2")]},
        {"text": CROW, "label": [span(CROW, "pebbles", "S1"), span(CROW, "into", "P1")]},
        {"text": "空的。", "label": []},
    ],
)
export(
    "relations",
    SequenceLabelingProject,
    {"project_type": "SequenceLabeling", "use_relation": True, "allow_overlapping": True} | shared,
    [
        {
            "text": CROW,
            "entities": [
                span(CROW, "crow", "S1", 1),
                span(CROW, "dropped", "E1", 2),
                span(CROW, "pebbles", "S1", 3),
                span(CROW, "into a pitcher", "P1", 4),
            ],
            "relations": [
                {"id": 1, "from_id": 1, "to_id": 2, "type": "with"},
                {"id": 2, "from_id": 3, "to_id": 4, "type": "with"},
            ],
        }
    ],
)
PYTHON
tools/bin/python write.py "$here"
