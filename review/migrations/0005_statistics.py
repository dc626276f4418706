"""Figures of reviews are counted by a worker and kept."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0003_caps_and_due_dates"),
        ("review", "0004_groups_of_places"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReviewStatistics",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("wanted_at", models.DateTimeField(blank=True, null=True)),
                ("counted_at", models.DateTimeField(blank=True, null=True)),
                ("counted_upto", models.BigIntegerField(default=0)),
                ("figures", models.JSONField(default=dict)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="projects.project"
                    ),
                ),
            ],
            options={
                "verbose_name": "figures of reviews",
                "verbose_name_plural": "figures of reviews",
            },
        ),
    ]
