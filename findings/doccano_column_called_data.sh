#!/usr/bin/env bash
# doccano exports a column called `data` in place of the text that was annotated.
#
# Expected: `text` of an export is the text that annotators saw; the other columns of the file that was taken in
# stand beside it, as doccano keeps them with each text.
# What happens: version 1.8.4 writes text, number and columns into one object and the columns last, before `data`
# is renamed to `text`. A column `data` replaces the text, which is then nowhere in the export, and the offsets of
# spans point into other words; a column `id` replaces the number. Nothing is said at either end.
# Output seen on 29 November 2026 (Python 3.11, x86-64):
#   doccano 1.8.4, taken in: {"text": "A thirsty crow.", "data": "fables.csv", "label": [[2, 9, "S1"]]}
#   doccano 1.8.4, exported: {"id":1,"text":"fables.csv","label":[[2,9,"S1"]],"Comments":[]}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv tools
tools/bin/pip --quiet --disable-pip-version-check install --no-deps doccano==1.8.4 2>pip.txt || { tail -5 pip.txt; exit 1; }
tools/bin/pip --quiet --disable-pip-version-check install --no-warn-conflicts 'django<4.3' 'django-polymorphic<4' \
    'pydantic<3' 'pandas==1.5.3' 'numpy<2' chardet==4.0.0 pyexcel pyexcel-xlsx seqeval filetype celery \
    django-drf-filepond 'setuptools<80' 2>pip.txt || { tail -5 pip.txt; exit 1; }

cat >export.py <<'PYTHON'
import json
import sys
import tempfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import django
from django.conf import settings

sys.path.insert(0, next(one for one in sys.path if one.endswith("site-packages")) + "/backend")
GIVEN = {"text": "A thirsty crow.", "data": "fables.csv", "label": [[2, 9, "S1"]]}
named = "projects roles label_types examples labels data_import data_export django_drf_filepond polymorphic".split()
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", *named],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    MIGRATION_MODULES=dict.fromkeys(named),
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
from data_export.celery_tasks import export_dataset
from data_import.datasets import load_dataset
from data_import.pipeline.catalog import create_file_format
from data_import.pipeline.readers import FileName
from django.contrib.auth.models import User
from django.core.management import call_command
from projects.models import SequenceLabelingProject

call_command("migrate", run_syncdb=True, verbosity=0)
user = User.objects.create(username="ann")
kind = "SequenceLabeling"
project = SequenceLabelingProject.objects.create(
    name="fables", created_by=user, project_type=kind, collaborative_annotation=True
)
Path("given.jsonl").write_text(json.dumps(GIVEN) + "\n")
files = [FileName("given.jsonl", "given.jsonl", "given.jsonl")]
load_dataset(kind, create_file_format("JSONL"), files, project, column_label="label", encoding="utf_8").save(user)
with zipfile.ZipFile(export_dataset(project.id, "JSONL")) as held:
    exported = held.read("all.jsonl").decode().strip()
print(f"doccano {version('doccano')}, taken in: {json.dumps(GIVEN)}")
print(f"doccano {version('doccano')}, exported: {exported}")
raise SystemExit(0 if json.loads(exported)["text"] == GIVEN["data"] else "this has changed")
PYTHON
tools/bin/python export.py 2>errors.txt || { tail -5 errors.txt; exit 1; }
