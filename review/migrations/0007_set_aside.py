"""Orders to set a reviewer's verdicts aside, and the reviews that they set aside."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0008_set_aside"),
        ("projects", "0004_people"),
        ("review", "0006_practice_item"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SetAside",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField(max_length=4000, verbose_name="reason")),
                ("since", models.DateTimeField(blank=True, null=True)),
                ("until", models.DateTimeField()),
                ("rows", models.JSONField(default=list)),
                ("position", models.PositiveIntegerField(default=0)),
                ("changed", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                ("undone", models.PositiveIntegerField(default=0)),
                ("left", models.PositiveIntegerField(default=0)),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="projects.project",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "undone_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "set-aside verdicts",
                "verbose_name_plural": "set-aside verdicts",
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["project", "reviewer", "-id"], name="review_set_aside_of")],
            },
        ),
        migrations.AddField(
            "review",
            "set_aside",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reviews",
                to="review.setaside",
            ),
        ),
        migrations.AddIndex(
            "review",
            models.Index(
                condition=models.Q(("set_aside__isnull", False)),
                fields=["set_aside"],
                name="review_were_set_aside",
            ),
        ),
    ]
