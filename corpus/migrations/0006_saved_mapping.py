"""What fills which column of a file can be saved by name, for the next file like it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0005_no_repeated_index"),
        ("projects", "0002_rules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="SavedMapping",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("purpose", models.CharField(max_length=20)),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("columns", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="projects.project"
                    ),
                ),
            ],
            options={
                "verbose_name": "saved mapping",
                "verbose_name_plural": "saved mappings",
                "ordering": ["name", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "purpose", "name"), name="corpus_mapping_name")
                ],
            },
        ),
    ]
