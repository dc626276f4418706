"""Pauses of members, messages to them, and two rules about practice items."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def _share(name: str) -> models.PositiveSmallIntegerField:
    return models.PositiveSmallIntegerField(
        db_default=0,
        default=0,
        validators=[django.core.validators.MaxValueValidator(100)],
        verbose_name=name,
    )


def _person(*, null: bool = False, **more: object) -> models.ForeignKey:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT,
        to=settings.AUTH_USER_MODEL,
        **({"null": True, "blank": True} if null else {}),
        **({"related_name": "+"} | more),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0003_accesstoken"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("project", "practice_first", _share("practice items before real ones")),
        migrations.AddField(
            "project", "practice_mark", _share("pause below this share of right practice items, in percent")
        ),
        migrations.CreateModel(
            name="Pause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField(max_length=2000, verbose_name="reason")),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("by", _person()),
                ("ended_by", _person(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pauses",
                        to="projects.project",
                    ),
                ),
                ("user", _person(related_name="pauses")),
            ],
            options={
                "verbose_name": "pause",
                "verbose_name_plural": "pauses",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("project", "user"),
                        name="projects_one_pause",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(max_length=2000, verbose_name="message")),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("by", _person()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="projects.project"
                    ),
                ),
                ("to", _person(db_index=False)),
            ],
            options={
                "verbose_name": "message to a member",
                "verbose_name_plural": "messages to members",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("read_at", None)),
                        fields=["to", "project"],
                        name="projects_unread_notes",
                    ),
                    models.Index(fields=["project", "to", "-id"], name="projects_notes_of"),
                ],
            },
        ),
    ]
